"""The connections below the application: what they send is counted, shared out and timed before it is parsed."""
