package main

// Roots of HTTPS for systems that have none, such as an image with nothing but the program. Where the system has its
// own, those count.
import _ "golang.org/x/crypto/x509roots/fallback"
