"""Playing and analysing: the web board and its service, the terminal, levels of strength."""
