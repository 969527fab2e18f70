"""The words of Reward Lab and their arithmetic: pure, no I/O, no framework."""
