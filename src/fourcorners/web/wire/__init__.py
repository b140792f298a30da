"""The connections below the application: bytes are counted, shared out fairly and timed before they are parsed."""
