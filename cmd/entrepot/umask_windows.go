package main

// onlyForMe does nothing on Windows, where a new file has the rights of its folder.
func onlyForMe() {}
