package bucket

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

const scheme = "s3://"

// S3 says which S3 service is used, and as whom.
type S3 struct {
	Endpoint string // such as https://minio.example:9000; "": that of Amazon
	Region   string // "": found by asking the service
	Key      string // id of the access key
	Secret   string
	Session  string // token of temporary credentials, "" for none

	PartSize uint64 // of uploads of large files, in bytes; 0: 64 MiB
}

// FromEnvironment is the service at an endpoint with the usual variables of AWS.
func FromEnvironment(endpoint string, getenv func(string) string) S3 {
	return S3{Endpoint: endpoint, Region: cmp.Or(getenv("AWS_REGION"), getenv("AWS_DEFAULT_REGION")), Key: getenv("AWS_ACCESS_KEY_ID"),
		Secret: getenv("AWS_SECRET_ACCESS_KEY"), Session: getenv("AWS_SESSION_TOKEN")}
}

// s3Bucket is a bucket in an S3 service.
type s3Bucket struct {
	client       *minio.Client
	name, prefix string // the prefix ends with a slash unless it is empty
	partSize     uint64
}

// open checks a place s3://bucket/prefix and the settings of the service.
func (s S3) open(place string) (Bucket, error) {
	name, prefix, _ := strings.Cut(strings.TrimPrefix(place, scheme), "/")
	if name == "" {
		return nil, fmt.Errorf("%s names no bucket: give s3://bucket or s3://bucket/prefix", place)
	}
	if prefix = strings.Trim(prefix, "/"); prefix != "" {
		prefix += "/"
	}
	if s.Key == "" || s.Secret == "" {
		return nil, fmt.Errorf("%s needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY", place)
	}
	u, err := url.Parse(cmp.Or(s.Endpoint, "https://s3.amazonaws.com"))
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || strings.Trim(u.Path, "/") != "" {
		return nil, fmt.Errorf("s3-endpoint must be an address such as https://s3.example.com, not %q", s.Endpoint)
	}
	client, err := minio.New(u.Host, &minio.Options{Secure: u.Scheme == "https", Region: s.Region,
		Creds: credentials.NewStaticV4(s.Key, s.Secret, s.Session)})
	if err != nil {
		return nil, err
	}
	return &s3Bucket{client, name, prefix, cmp.Or(s.PartSize, 64<<20)}, nil
}

func (b *s3Bucket) Folder() string { return "" }

func (b *s3Bucket) String() string { return scheme + b.name + "/" + strings.TrimSuffix(b.prefix, "/") }

// Put sends the file in one request, or a large one in parts, which become a file with the last request. Parts are read
// from the file one after the other. Their SHA-256 is not signed, because services that do not understand signed chunks
// store the signatures with the bytes.
func (b *s3Bucket) Put(ctx context.Context, name, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	sent, err := b.client.PutObject(ctx, b.name, b.prefix+name, file, info.Size(), minio.PutObjectOptions{
		ContentType: "application/octet-stream", PartSize: b.partSize, NumThreads: 1, DisableContentSha256: true})
	if err == nil && sent.Size != info.Size() {
		err = fmt.Errorf("%d bytes of %d arrived", sent.Size, info.Size())
	}
	if err != nil {
		return fmt.Errorf("sending %s to %s: %w", name, b, err)
	}
	return os.Remove(path)
}

func (b *s3Bucket) Names(ctx context.Context) (names []string, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel() // ends the listing after an error
	for object := range b.client.ListObjects(ctx, b.name, minio.ListObjectsOptions{Prefix: b.prefix}) {
		if object.Err != nil {
			return nil, fmt.Errorf("listing %s: %w", b, object.Err)
		}
		if name := strings.TrimPrefix(object.Key, b.prefix); name != "" && !strings.Contains(name, "/") {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

func (b *s3Bucket) Read(ctx context.Context, name string) (io.ReadCloser, error) {
	object, err := b.client.GetObject(ctx, b.name, b.prefix+name, minio.GetObjectOptions{})
	if err == nil {
		if _, err = object.Stat(); err == nil { // the request is sent here
			return object, nil
		}
		object.Close()
	}
	if missing := (minio.ErrorResponse{}); errors.As(err, &missing) && missing.Code == "NoSuchKey" {
		err = fs.ErrNotExist
	}
	return nil, fmt.Errorf("reading %s of %s: %w", name, b, err)
}

func (b *s3Bucket) Remove(ctx context.Context, name string) error {
	if err := b.client.RemoveObject(ctx, b.name, b.prefix+name, minio.RemoveObjectOptions{}); err != nil {
		return fmt.Errorf("removing %s of %s: %w", name, b, err)
	}
	return nil
}
