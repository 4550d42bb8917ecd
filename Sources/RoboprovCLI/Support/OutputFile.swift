import Foundation

/// A file that a person had written.
enum OutputFile {
  /// Writes a text: whole or not at all where that is a file, or where nothing is; a link leads to the file that is written.
  /// To a pipe or a device it is written as it is, and these stay what they are.
  /// - Throws: `CommandFailure` when it cannot be written.
  static func write(_ text: String, to path: String) throws {
    // The file behind a link is replaced, not the link.
    let place = destination(of: path)
    var status = stat()
    let isReplaceable = stat(place, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
    do {
      if isReplaceable {
        try Data(text.utf8).write(to: URL(fileURLWithPath: place), options: .atomic)
      } else {
        let descriptor = open(place, O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try file.write(contentsOf: Data(text.utf8))
      }
    } catch {
      throw CommandFailure(
        .record, "\(path) cannot be written: \((error as NSError).localizedDescription)",
        cure: "Name a place that you can write.")
    }
  }

  /// Where links lead, be something there or not.
  private static func destination(of path: String) -> String {
    var place = path
    for _ in 0..<40 {
      guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: place) else { break }
      place =
        target.hasPrefix("/")
        ? target : URL(fileURLWithPath: place).deletingLastPathComponent().path + "/" + target
    }
    return place
  }
}
