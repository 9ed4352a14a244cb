"""What a reader of a figure reads beside it."""


def words(part):
    """Texts of the legend of some axes, or of a legend."""
    legend = part.get_legend() if hasattr(part, "get_legend") else part
    return [text.get_text() for text in legend.get_texts()]
