import RecordedText
import Testing

/// Expects that a text is what a file under `Tests/Snapshots/Reporting` has.
func expectSnapshot(
  _ text: String, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
  try expectRecorded(
    text, in: projectFile("Tests/Snapshots/Reporting/\(name)"), sourceLocation: sourceLocation)
}
