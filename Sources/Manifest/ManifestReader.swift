import Bluetooth
package import CSV
package import Model
package import Source
package import YAML

/// Reads a manifest's bytes; gives a checked building, or findings.
///
/// ```yaml
/// version: 1                     # of the manifest's format; optional
/// building: Harbour House        # name, for people; required, 1…100 bytes
/// id: harbour-house              # stable, [a-z0-9-], at most 64 bytes; default: made from the name
/// include: networks.yaml         # files with further networks; relative to the manifest
/// families: battery-tag.yaml     # files that describe further kinds of devices (docs/families.md)
/// wifi:                          # networks, each under a name of your choice
///   guests: { ssid: Harbour Guests, password: { env: HARBOUR_GUESTS } } # or file, command, prompt
///   plant: { ssid: Plant }       # without a password: an open network
///   quiet: { ssid: Q, password: { prompt: true }, hidden: true } # it does not send its name
/// hosts:                         # optional; other computers whose adapters are used through ssh
///   floor-3: { ssh: pi@gw3, adapters: [hci0] }  # as in ssh(1); all adapters unless some are named
/// adapters:                      # optional; hciN, an address, or a name of your choice with its address
///   east: { address: 00:1A:7D:DA:71:13, slots: 7, place: by the lift }
/// match: address                 # or `any`: a room without address takes any unclaimed sensor; or `later`
/// defaults:                      # for every room without values of its own; each is optional
///   profile: robo-sensor         # also at the top, like `retries`, `timeouts`, `beacon`, `wifi_check`
///   wifi: guests                 # a network's name, an inline `{ ssid, password }`, or `none`
///   wifi_check: true             # write a device that can list networks only if it receives its own
///   retries: 2                   # attempts after the first, 0…20
///   beacon: { uuid: 6F1C2A90-5B7D-4E21-9A44-0C1D2E3F4A5B, major: 7 }  # if not the factory's
///   timeouts: { connect: 15s, discover: 20s, ready: 10s, write: 10s, save: 10s, verify: 30s }
///   uuid: 2F234454-CF6D-4A0F-ADF2-F4911BA9FFA6  # any setting that rooms may share (`isShareable`)
/// floors:
///   - floor: 3                   # with any key of `defaults`, and `tags`, `rooms`, `rooms_from`, `groups`
///     rooms:
///       - { room: "Room {301..332}", minor: 301 }  # 32 rooms; minors count up
///       - { room: Room 313, wifi: none }           # a later entry changes one of them
/// groups:
///   - { group: Suites, rooms_from: suites.csv }    # as a floor; its name becomes a tag of its rooms
/// rooms:
///   - room: Lobby                # name, written to the sensor; required
///     id: lobby                  # stable, like the building's; unique
///     minor: 101                 # a setting of the profile; identities on air are unique
///     address: C4:7C:8D:00:00:01 # required unless `match`, `near` or `register` replaces it; unique
///     wifi: none                 # also profile, retries, timeouts as in `defaults`; floor, tags
///     register: false            # true: configured elsewhere, only looked for; takes only settings on air
/// rooms_from: rooms.csv          # or { file, columns: { minor: Beacon }, ignore: [Notes] }
/// ```
///
/// A room takes the settings of its profile, its own or those of its scopes. A default that no room of the
/// scope takes is a warning.
///
/// The key decides the type of a scalar, not its form: a password `1234567890` or `yes` is that text, and a
/// number is decimal digits, each quoted or not. `012`, `0x10` and `1e3` are refused, because YAML readers
/// disagree about them. Durations are whole numbers with `ms`, `s` or `m`; timeouts are above 0 and at most
/// one hour.
package enum ManifestReader {
  /// Reads and checks a manifest.
  /// - Parameters:
  ///   - file: The manifest's name in messages.
  ///   - families: The device families that rooms may have.
  ///   - files: Reads the files that the manifest names; nil if it must not name any.
  ///   - labelsFollow: Whether rooms may lack their addresses because the labels are read now.
  package static func read(
    _ bytes: [UInt8], file: String, families: FamilyCatalogue, files: ManifestFiles? = nil,
    labelsFollow: Bool = false
  ) -> ManifestReading {
    var decoder = ManifestDecoder(families, files: files, labelsFollow: labelsFollow)
    let building = decoder.building(in: bytes, file: file)
    return ManifestReading(building, decoder)
  }

  /// Checks a manifest that is not written in YAML.
  /// - Parameters:
  ///   - tree: The manifest.
  ///   - text: The text in which its nodes have their places.
  ///   - entries: The parts of the text with their keys, in its order.
  ///   - file: The text's name in messages.
  package static func read(
    _ tree: YAMLNode, in text: SourceText, with entries: [YAMLNode.Entry], file: String,
    families: FamilyCatalogue
  ) -> ManifestReading {
    var decoder = ManifestDecoder(families)
    let number = decoder.texts.add(text.bytes, name: file).number
    decoder.texts.set(YAMLNode(.mapping(entries), range: tree.range), isWhole: true, of: number)
    decoder.texts.setContent(tree, of: number)
    for entry in entries { decoder.show(entry.keyRange) }
    let building = decoder.building(tree)
    return ManifestReading(building, decoder)
  }
}

extension ManifestReader {
  /// The text of a manifest and of the files that it names, safe to give away. Lines stay as they are, with
  /// `•••` for everything that is or may be a secret: passwords, comments, anchors, and values of unknown
  /// keys.
  ///
  /// In a file with errors, or one that is not YAML, more is hidden. The result does not show how long a
  /// secret is.
  ///
  /// - Returns: the texts with the names of their files; the manifest is the first.
  package static func redacted(
    _ bytes: [UInt8], file: String, families: FamilyCatalogue, files: ManifestFiles? = nil
  ) -> [(name: String, text: String)] {
    var decoder = ManifestDecoder(families, files: files)
    _ = decoder.building(in: bytes, file: file)
    return decoder.texts.excerpts(without: decoder.secrets).map { ($0.file, $0.text) }
  }

  /// Reads and checks a family file alone.
  /// - Parameter families: the families that exist already.
  package static func family(_ bytes: [UInt8], file: String, beside families: FamilyCatalogue)
    -> FamilyReading
  {
    var decoder = ManifestDecoder(families)
    let family = decoder.family(in: bytes, file: file)
    return FamilyReading(family: family, findings: ManifestReading(nil, decoder))
  }
}

/// The result of reading a family file.
package struct FamilyReading: Sendable {
  /// Nil when a finding is an error, and for an empty file.
  package let family: DeviceFamily?
  private let findings: ManifestReading

  init(family: DeviceFamily?, findings: ManifestReading) {
    // Some errors are those of its YAML, of which its decoder knows nothing.
    self.family = findings.diagnostics.contains { $0.severity == .error } ? nil : family
    self.findings = findings
  }

  package var diagnostics: [Diagnostic] { findings.diagnostics }
  package var rendered: String { findings.rendered }
}

extension ManifestDecoder {
  /// Decodes the building of a manifest. The result is valid only if no error was found.
  mutating func building(in bytes: [UInt8], file: String) -> Building? {
    guard let document = document(texts.add(bytes, name: file)) else { return nil }
    return building(document.root)
  }
}

package struct ManifestReading: Sendable {
  /// Nil when a finding is an error.
  package let building: Building?
  /// The findings by place.
  package let diagnostics: [Diagnostic]
  /// The lines of the texts with hidden parts, by number; empty without findings.
  package let excerpts: [SourceExcerpt]
  /// The content of all files without passwords and comments, as compact JSON: scalars as strings, null for
  /// each password text. The source of a password is included. Several files are a list. Digests of manifests
  /// are made from it.
  package var content: [UInt8] { texts.content(without: secretKeys) }
  package var files: [String] { texts.texts.map(\.name) }
  /// A table of rooms, as it was read.
  package typealias Table = (
    file: String, rooms: Int, delimiter: CSVTable.Delimiter, encoding: SourceText.Encoding
  )
  /// The tables of rooms, in the order of reading.
  package let tables: [Table]
  private let texts: TextCollection
  private let secretKeys: SecretKeys
  /// Also of a file that has errors.
  package let passwords: ManifestPasswords

  fileprivate init(_ building: Building?, _ decoder: ManifestDecoder) {
    let (findings, texts) = (decoder.findings, decoder.texts)
    self.texts = texts
    tables = decoder.lists.compactMap { list in
      guard case .rows(let layout) = list else { return nil }
      let text = texts.texts[layout.text]
      return (
        text.name, ((text.content ?? text.root)?.items?.count ?? 1) - 1, layout.delimiter,
        text.source.encoding
      )
    }
    secretKeys = decoder.vocabulary.secretKeys
    passwords = decoder.passwords
    let hasError = findings.contains { $0.severity == .error }
    self.building = hasError ? nil : building
    diagnostics = findings.sortedByPlace()
    // Only findings use them.
    excerpts = findings.isEmpty ? [] : texts.excerpts(without: decoder.secrets)
  }

  /// The findings as text, each with its line and a caret; empty without findings.
  package var rendered: String { rendered(isColored: false) }

  /// As `rendered`, with colours on request.
  package func rendered(isColored: Bool) -> String {
    DiagnosticFormatter(excerpts, isColored: isColored).text(of: diagnostics)
  }
}

extension SourceExcerpt {
  /// All lines, with `•••` for hidden parts.
  fileprivate var text: String {
    (1...source.lineCount).map { line in
      pieces(ofLine: line, in: 0..<source.bytes.count).map { piece in
        piece.isShown ? String(decoding: source.bytes[piece.bytes], as: UTF8.self) : "•••"
      }.joined()
    }.joined(separator: "\n")
  }
}

extension ManifestReading {
  /// A text after all certain corrections.
  package struct FixedText: Hashable, Sendable {
    package var name: String
    /// The text before the corrections.
    package var original: [UInt8]
    /// The text after the corrections; comments and layout are unchanged.
    package var bytes: [UInt8]
    /// The number of corrected findings.
    package var count: Int
  }

  /// Applies every certain fix; returns the texts that change, by number. If two fixes overlap, the first one
  /// is applied.
  /// - Parameter isAnswered: Whether a person answered the questions of the others with yes.
  package func fixed(isAnswered: Bool = false) -> [FixedText] {
    excerpts.filter { $0.source.encoding != .workbook }.compactMap { excerpt in
      let fixes = diagnostics.compactMap(\.fix).filter {
        $0.edits.first?.range.text == excerpt.source.number && (isAnswered || $0.question == nil)
      }
      var bytes: [UInt8] = []
      var offset = 0
      var count = 0
      for fix in fixes {
        guard let first = fix.edits.first, first.range.start.offset >= offset else { continue }
        count += 1
        for edit in fix.edits {
          bytes += excerpt.source.bytes[offset..<edit.range.start.offset]
          bytes += edit.text.utf8
          offset = max(edit.range.start.offset, edit.range.end.offset)
        }
      }
      guard count > 0 else { return nil }
      bytes += excerpt.source.bytes[offset...]
      return FixedText(
        name: excerpt.file, original: excerpt.source.encoded(excerpt.source.bytes),
        bytes: excerpt.source.encoded(bytes), count: count)
    }
  }
}
