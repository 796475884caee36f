package disk

import "golang.org/x/sys/windows"

// Free is how many bytes this user may still write on the disk of a folder.
func Free(dir string) (free uint64, known bool) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false
	}
	err = windows.GetDiskFreeSpaceEx(name, &free, nil, nil)
	return free, err == nil
}
