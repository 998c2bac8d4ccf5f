"""Pages that scripts write: a browser (extra `render`) under the guards of every other fetch."""
