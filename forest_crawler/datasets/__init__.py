"""Read labelled pages: files on disk, test packages, the bundled sites."""
