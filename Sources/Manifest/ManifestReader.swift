import Bluetooth
public import Model
import YAML

/// Reads manifests: bytes in, a checked building or findings out.
///
/// ```yaml
/// building: Harbour House        # name, for people; required, 1…100 bytes
/// id: harbour-house              # stable, [a-z0-9-], 64 bytes at most; without it made from the name
/// wifi:                          # networks, each under a name of your choice
///   guests: { ssid: Harbour Guests, password: correct horse }
///   plant: { ssid: Plant }       # no password, or an empty one: an open network
/// defaults:                      # for every room that does not say otherwise; each is optional
///   profile: robo-sensor
///   wifi: guests                 # a network's name, an inline `{ ssid, password }`, or `none`
///   retries: 2                   # attempts after the first, 0…20
///   timeouts: { connect: 15s, discover: 20s, ready: 10s, write: 10s, save: 10s, verify: 30s }
///   uuid: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6  # any setting that rooms may have in common (`isShareable`)
/// assign: address                # or `any`: rooms without address take any sensor that nobody claims
/// rooms:
///   - room: Lobby                # name, written to the sensor; required
///     id: lobby                  # stable, like the building's; unique
///     minor: 101                 # settings of the profile, each under its name; no two devices are the same on air
///     address: C4:7C:8D:00:00:01 # needed unless `assign: any` or `register: true`; unique
///     wifi: none                 # and profile, retries, timeouts: as in `defaults`
///     register: false            # true: configured elsewhere, only looked for. Takes what is heard on air, no more
/// ```
///
/// A room takes the keys of its profile's settings, and those under `defaults` that its profile has. A default that no
/// room could take is a warning.
///
/// What a scalar means follows from where it stands, never from its looks: a password `1234567890` or `yes` is
/// that text, quoted or not, and a number is decimal digits, quoted or not (`012`, `0x10` and `1e3` are refused:
/// programs differ about them). Durations are whole numbers with `ms`, `s` or `m`, above 0 and up to an hour.
public enum ManifestReader {
  /// How many findings a reading hands out; how many more there are it says.
  public static let maximumFindings = 50

  /// Reads and checks a manifest; `file` is its name in messages.
  public static func read(_ bytes: [UInt8], file: String) -> ManifestReading {
    let source = SourceText(bytes)
    let document: YAMLDocument
    do throws(YAMLError) {
      document = try YAMLParser.read(source)
    } catch {
      let excerpt = SourceExcerpt(file: file, source: source, visibility: .unparsed)
      return ManifestReading(building: nil, findings: [Diagnostic(error)], excerpt: excerpt, content: [])
    }
    var decoder = ManifestDecoder()
    decoder.findings = document.problems.map { Diagnostic($0) }
    let building = decoder.building(document.root)
    let isWhole = !document.problems.contains { $0.problem == .keyIsNotText }
    let visibility =
      decoder.findings.isEmpty || !isWhole
      ? SourceExcerpt.Visibility.unparsed
      : .of(document.root, shown: decoder.shown, secrets: decoder.secrets)
    let excerpt = SourceExcerpt(file: file, source: source, visibility: visibility)
    return ManifestReading(
      building: building, findings: decoder.findings, excerpt: excerpt,
      content: document.root?.contentWithoutSecrets ?? [])
  }
}

/// What came of reading a manifest.
public struct ManifestReading: Sendable {
  /// The building; nil when there is an error among the findings.
  public let building: Building?
  /// What is wrong, by place; `ManifestReader.maximumFindings` at most, errors before warnings where that bites.
  public let diagnostics: [Diagnostic]
  /// How many more findings there are.
  public let omitted: Int
  /// The file's lines, as far as they may be shown.
  public let excerpt: SourceExcerpt
  /// What the file says, without its passwords and comments: compact JSON of its keys and values, every scalar a string,
  /// null for each password. Of a file that is applied; what digests of manifests are made of.
  public let content: [UInt8]

  init(building: Building?, findings: [Diagnostic], excerpt: SourceExcerpt, content: [UInt8]) {
    self.content = content
    let hasError = findings.contains { $0.severity == .error }
    self.building = hasError ? nil : building
    let byPlace = findings.sorted { ($0.range.start, $0.message) < ($1.range.start, $1.message) }
    // Where there are too many, errors first: a flood of warnings must not hide the one that matters.
    let kept =
      (byPlace.filter { $0.severity == .error } + byPlace.filter { $0.severity == .warning })
      .prefix(ManifestReader.maximumFindings)
    diagnostics = kept.sorted { ($0.range.start, $0.message) < ($1.range.start, $1.message) }
    omitted = findings.count - kept.count
    self.excerpt = excerpt
  }

  /// All findings for a person, each with its line and a caret; empty when there are none.
  public var rendered: String {
    var text = diagnostics.map { DiagnosticFormatter(excerpt).text(of: $0) }.joined()
    if omitted > 0 {
      text += "\(excerpt.file): \(omitted) more finding\(omitted == 1 ? "" : "s") not shown\n"
    }
    return text
  }
}
