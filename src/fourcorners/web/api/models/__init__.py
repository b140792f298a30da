"""The requests and answers of the API, by area: types that parse, serialise and document themselves."""
