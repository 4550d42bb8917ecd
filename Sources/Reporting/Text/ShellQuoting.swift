extension String {
  /// This text as one word of a command line for a POSIX shell: in quotes where it needs them.
  package var shellQuoted: String {
    let isPlain =
      !isEmpty
      && unicodeScalars.allSatisfy {
        "/._-=:,@".unicodeScalars.contains($0) || $0.properties.isAlphabetic || ("0"..."9").contains($0)
      }
    return isPlain ? self : "'" + replacing("'", with: "'\\''") + "'"
  }
}
