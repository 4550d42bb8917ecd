import Families
import Manifest
import Model
import RecordedText
import ValueWords

private let recordedRuns = RecordedRuns("ManifestTests")

/// Reads a manifest, and compares all that was read of it with the record.
func readManifest(
  _ bytes: [UInt8], file: String, families: FamilyCatalogue, files: ManifestFiles? = nil
) -> ManifestReading {
  let reading = ManifestReader.read(bytes, file: file, families: families, files: files)
  recordedRuns.expect([words(of: reading)])
  return reading
}

/// As `readManifest`, for a family file.
func readFamily(_ bytes: [UInt8], file: String, beside families: FamilyCatalogue) -> FamilyReading {
  let reading = ManifestReader.family(bytes, file: file, beside: families)
  recordedRuns.expect([words(of: reading)])
  return reading
}
