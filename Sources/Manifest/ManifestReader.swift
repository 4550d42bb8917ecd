import Bluetooth
public import Model
import Source
import YAML

/// Reads manifests: bytes in, a checked building or findings out.
///
/// ```yaml
/// version: 1                     # of the manifest's format; optional
/// building: Harbour House        # name, for people; required, 1…100 bytes
/// id: harbour-house              # stable, [a-z0-9-], 64 bytes at most; without it made from the name
/// include: networks.yaml         # files with further networks; relative to the manifest
/// wifi:                          # networks, each under a name of your choice
///   guests: { ssid: Harbour Guests, password: { env: HARBOUR_GUESTS } } # or { file: … }, { command: […] }, { prompt: true }
///   plant: { ssid: Plant }       # no password, or an empty one: an open network
/// adapters:                      # optional; hciN, an address, or a name of your choice with its address
///   east: { address: 00:1A:7D:DA:71:13, slots: 7, place: by the lift }
/// match: address                 # or `any`: rooms without address take any sensor that nobody claims; or `later`
/// defaults:                      # for every room that does not say otherwise; each is optional
///   profile: robo-sensor         # this, `retries`, `timeouts`, `beacon` and `wifi_check` may also be at the top
///   wifi: guests                 # a network's name, an inline `{ ssid, password }`, or `none`
///   wifi_check: true             # a device that can list networks is written only if it receives its own; else `false`
///   retries: 2                   # attempts after the first, 0…20
///   beacon: { uuid: 6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B, major: 7 }  # what sensors' firmware sends, if not the factory's
///   timeouts: { connect: 15s, discover: 20s, ready: 10s, write: 10s, save: 10s, verify: 30s }
///   uuid: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6  # any setting that rooms may have in common (`isShareable`)
/// floors:
///   - floor: 3                   # with whatever can be under `defaults`, and `tags`, `rooms`, `rooms_from`, `groups`
///     rooms:
///       - { room: "Room {301..332}", minor: 301 }  # 32 rooms; minors count along
///       - { room: Room 313, wifi: none }           # a later entry changes one of them
/// groups:
///   - { group: Suites, rooms_from: suites.csv }    # as a floor; its name is a tag of its rooms
/// rooms:
///   - room: Lobby                # name, written to the sensor; required
///     id: lobby                  # stable, like the building's; unique
///     minor: 101                 # settings of the profile, each under its name; no two devices are the same on air
///     address: C4:7C:8D:00:00:01 # needed unless `match` says otherwise or `register: true`; unique
///     wifi: none                 # and profile, retries, timeouts: as in `defaults`; floor, tags
///     register: false            # true: configured elsewhere, only looked for. Takes what is heard on air, no more
/// rooms_from: rooms.csv          # or { file, columns: { minor: Beacon }, ignore: [Notes] }
/// ```
///
/// A room takes the keys of its profile's settings, and those under `defaults` that its profile has. A default that no
/// room could take is a warning.
///
/// What a scalar means follows from where it is, never from its looks: a password `1234567890` or `yes` is
/// that text, quoted or not, and a number is decimal digits, quoted or not (`012`, `0x10` and `1e3` are refused:
/// programs differ about them). Durations are whole numbers with `ms`, `s` or `m`, above 0 and up to an hour.
public enum ManifestReader {
  /// How many findings a reading hands out; how many more there are it says.
  public static let maximumFindings = 50

  /// Reads and checks a manifest.
  /// - Parameters:
  ///   - file: its name in messages.
  ///   - files: how the files are read that it names; nil where it cannot name any.
  public static func read(_ bytes: [UInt8], file: String, files: ManifestFiles? = nil) -> ManifestReading {
    var decoder = ManifestDecoder(files: files)
    let building = decoder.building(in: bytes, file: file)
    return ManifestReading(
      building: building, findings: decoder.findings, excerpts: decoder.excerpts, texts: decoder.texts,
      passwords: decoder.passwords)
  }
}

extension ManifestDecoder {
  /// The building that a manifest describes. What comes of it is good only if no error was found.
  mutating func building(in bytes: [UInt8], file: String) -> Building? {
    guard let document = document(texts.add(bytes, name: file)) else { return nil }
    return building(document.root)
  }

  /// The lines of all texts, as far as they may be shown. Without findings nobody asks.
  fileprivate var excerpts: [SourceExcerpt] {
    findings.isEmpty ? [] : texts.excerpts(without: secrets)
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
  /// The fixes of all findings, those that are not handed out among them, by place.
  let allFixes: [Diagnostic.Fix]
  /// The lines of its texts, as far as they may be shown, by number; none where there are no findings.
  public let excerpts: [SourceExcerpt]
  /// What the files say, without passwords and comments: compact JSON of keys and values, every scalar a string,
  /// null for each password; where a password comes from is there. Of several files a list of them. Of a file that is applied;
  /// what digests of manifests are made of.
  public var content: [UInt8] { texts.content }
  /// The names of the files that were read: the manifest and those that it names.
  public var files: [String] { texts.texts.map(\.name) }
  private let texts: TextCollection
  /// What is known of its passwords, also of a file that has errors.
  public let passwords: ManifestPasswords

  init(
    building: Building?, findings: [Diagnostic], excerpts: [SourceExcerpt], texts: TextCollection,
    passwords: ManifestPasswords
  ) {
    self.texts = texts
    self.passwords = passwords
    let hasError = findings.contains { $0.severity == .error }
    self.building = hasError ? nil : building
    let byPlace = findings.sorted { ($0.range.start, $0.message) < ($1.range.start, $1.message) }
    allFixes = byPlace.compactMap(\.fix)
    // Where there are too many, errors first: a flood of warnings must not hide the one that matters.
    let kept =
      (byPlace.filter { $0.severity == .error } + byPlace.filter { $0.severity == .warning })
      .prefix(ManifestReader.maximumFindings)
    diagnostics = kept.sorted { ($0.range.start, $0.message) < ($1.range.start, $1.message) }
    omitted = findings.count - kept.count
    self.excerpts = excerpts
  }

  /// All findings for a person, each with its line and a caret; empty when there are none.
  public var rendered: String { rendered(isColored: false) }

  /// The same, in colours where they are wanted.
  public func rendered(isColored: Bool) -> String {
    var text = diagnostics.map { DiagnosticFormatter(excerpts, isColored: isColored).text(of: $0) }.joined()
    if omitted > 0 {
      text += "\(excerpts[0].file): \(omitted) more finding\(omitted == 1 ? "" : "s") not shown\n"
    }
    return text
  }
}
