import Glibc

/// Lines for the person at the terminal.
enum StandardError {
  static func say(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = write(STDERR_FILENO, bytes, bytes.count)
  }
}
