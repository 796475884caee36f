package main

import (
	"context"
	"errors"
	"io/fs"

	"entrepot/internal/server"
)

// checkMedia checks the place of uploaded pictures.
func checkMedia(ctx context.Context, c server.StoreConfig) finding {
	place, err := c.MediaPlace()
	if err != nil {
		return finding{"pictures", "error", err.Error()}
	}
	if place.Folder() != "" {
		if c.URL != "" {
			return finding{"pictures", "warning", "they are in " + place.Folder() + " of this machine: with more than one node, share that " +
				"folder between them, or set media to s3://bucket/prefix"}
		}
		return finding{"pictures", "ok", "they are in " + place.Folder() + ", which backups of the store do not contain (docs/backups.md)"}
	}
	file, err := place.Read(ctx, "none")
	switch {
	case err == nil:
		file.Close()
	case !errors.Is(err, fs.ErrNotExist):
		return finding{"pictures", "error", err.Error() + ": check media, s3-endpoint and AWS_ACCESS_KEY_ID"}
	}
	return finding{"pictures", "ok", place.String() + " can be read"}
}
