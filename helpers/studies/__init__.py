"""What one notebook alone needs: its simulations and figures, a module or folder each. No other room imports this."""
