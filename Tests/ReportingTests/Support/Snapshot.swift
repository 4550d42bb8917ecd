import Foundation
import Testing

/// Text that is compared with a file under `Tests/Snapshots/Reporting`.
///
/// `ROBOPROV_RECORD=1 swift test` writes the files anew; look at the difference before committing it.
func expectSnapshot(
  _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "Snapshots/Reporting")
  let url = folder.appending(path: name)
  if ProcessInfo.processInfo.environment["ROBOPROV_RECORD"] == "1" {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }
  let expected = try String(decoding: Data(contentsOf: url), as: UTF8.self)
  guard expected != text else { return }
  let (old, new) = (expected.lines, text.lines)
  let place = zip(old, new).enumerated().first { $1.0 != $1.1 }?.offset ?? min(old.count, new.count)
  Issue.record(
    """
    \(name) differs from line \(place + 1) on
    expected: \(place < old.count ? old[place] : "(end)")
    is now:   \(place < new.count ? new[place] : "(end)")
    """, sourceLocation: sourceLocation)
}

extension String {
  /// Its lines, whatever ends them.
  var lines: [String] {
    split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map(String.init)
  }
}
