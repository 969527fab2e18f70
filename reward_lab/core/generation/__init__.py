"""Generation: criteria asked of a judge, to be reviewed one by one before any of them enters a rubric."""
