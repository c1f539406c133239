"""What is shown, the same in every face: words, rows of a timeline, differences, choices, long work, and what arrives."""
