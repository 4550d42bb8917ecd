import Bluetooth
import Foundation
import Hex
import Manifest
import Model
import Reporting
import Source
import YAML

/// A building's manifest as it goes into a bundle: without its secrets.
struct BundledManifest {
  /// Its text; nil where there is none.
  var text: [UInt8]?
  /// What the README says of it.
  var note: String
  /// Its passwords, which may be in no file; nil where they are not known. Of some it only says where they come from.
  var secrets: [Secret]?
  /// The addresses that it gives to rooms.
  var addresses: [UInt64] = []

  /// The manifest at this path, if it is there and of this building.
  /// - Parameter recorded: digest of the manifest of the newest run; nil where no run is on record.
  init(_ path: String?, of building: String, recorded: String?) {
    guard let path, !path.isEmpty else {
      note = "not in the bundle: no run is on record that names one"
      return
    }
    // A record names it, which may be forged.
    guard let bytes = InputFile.recorded(path, atMost: YAMLParser.maximumBytes) else {
      note = "not in the bundle: \(path.visible), which the newest run names, is not there or cannot be read"
      return
    }
    let reading = ManifestReader.read(bytes, file: path, files: .beside(path))
    let read = reading.building
    if let read, read.id != building {
      note =
        "not in the bundle: \(path.visible), which the newest run names, is that of \(read.id.visible) now"
      return
    }
    text = Array(Self.joined(ManifestReader.redacted(bytes, file: path, files: .beside(path))).utf8)
    let isSame = recorded.map { ManifestDigests(of: reading, bytes).contain($0) }
    let age =
      switch isSame {
      case true?: ", as the newest run had it"
      case false?: ", changed since the newest run"
      case nil: ""
      }
    note = "\(path.visible)\(age). Passwords, comments and what could be a password are replaced by •••"
    secrets = read?.rooms.flatMap(\.secrets)
    addresses = read?.rooms.compactMap { $0.address?.rawValue } ?? []
    if read == nil { note += ". It has errors, so its passwords are not known" }
  }

  /// The manifest, and below it each file that it names.
  private static func joined(_ texts: [(name: String, text: String)]) -> String {
    texts[0].text + texts.dropFirst().map { "\n\n# --- \($0.name.visible) ---\n\n\($0.text)" }.joined()
  }
}

/// Looks for secrets in what is to go out of the house.
struct SecretSearch {
  /// In plain text, and as JSON, markup and hexadecimal digits have them.
  private let forms: [[UInt8]]
  /// How many secrets it looks for.
  let count: Int

  init(_ secrets: [Secret]) {
    let texts = Set(secrets.filter(\.isResolved).map { $0.reveal() }).filter { !$0.isEmpty }.sorted()
    count = texts.count
    let all = texts.flatMap { text -> [String] in
      let hex = text.utf8.hex()
      let json = text.replacingOccurrences(of: "\\", with: "\\\\").replacingOccurrences(
        of: "\"", with: "\\\"")
      let markup = text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(
        of: "<", with: "&lt;"
      )
      .replacingOccurrences(of: ">", with: "&gt;")
      return [
        text, json, json.replacingOccurrences(of: "/", with: "\\/"), markup,
        markup.replacingOccurrences(of: "\"", with: "&quot;"), hex, hex.uppercased(),
      ]
    }
    forms = Set(all).sorted().map { Array($0.utf8) }
  }

  /// Whether one of them is in these bytes.
  func finds(in bytes: [UInt8]) -> Bool {
    let data = Data(bytes)
    return forms.contains { data.range(of: Data($0)) != nil }
  }
}
