"""What the pages draw with: state, widgets, charts, theme. Pages and this package reach data through services only."""
