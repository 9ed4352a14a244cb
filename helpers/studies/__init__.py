"""What one notebook alone needs: its simulations and figures, one module or folder a notebook. Nothing imports this."""
