package import Foundation
package import Testing

/// Expects that a text equals the recorded file.
///
/// `ROBOPROV_RECORD=1 make test FILTER=…` records the files again. Review the difference before a commit.
package func expectRecorded(
  _ text: String, in file: URL, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  if ProcessInfo.processInfo.environment["ROBOPROV_RECORD"] == "1" {
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }
  let expected = try String(decoding: Data(contentsOf: file), as: UTF8.self)
  guard expected != text else { return }
  let (old, new) = (expected.lines, text.lines)
  let place = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
  Issue.record(
    """
    \(file.lastPathComponent) differs from line \(place + 1) on (ROBOPROV_RECORD=1 records it)
    expected: \(place < old.count ? old[place] : "(end)")
    is now:   \(place < new.count ? new[place] : "(end)")
    """, sourceLocation: sourceLocation)
}

/// A file of the project, by its path in it.
package func projectFile(_ path: String) -> URL {
  URL(filePath: #filePath).appending(path: "../../../\(path)").standardizedFileURL
}

extension String {
  /// The lines, with any line ends.
  package var lines: [String] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }
}
