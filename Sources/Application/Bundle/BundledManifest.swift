import FoundationEssentials
import Bluetooth
import Hex
import Manifest
import Model
import YAML

/// A building's manifest for a bundle, without its secrets.
package struct BundledManifest {
  /// The text; nil if the manifest is not included.
  var text: [UInt8]?
  /// The sentence about it in the README.
  var note: String
  /// Its passwords, which no file may contain; nil if they are unknown. For some only the source is known.
  var secrets: [Secret]?
  /// The addresses of its rooms.
  var addresses: [UInt64] = []

  /// The manifest at this path, if it is there and of this building.
  /// - Parameter recorded: digest of the manifest of the newest run; nil where no run is on record.
  package init(_ path: String?, of building: String, recorded: String?) {
    guard let path, !path.isEmpty else {
      note = "not in the bundle: no run on record names one"
      return
    }
    // The path comes from a record, which may be forged.
    guard let bytes = InputFile.recorded(path, atMost: YAMLParser.maximumBytes) else {
      note = "not in the bundle: \(path.visible), which the newest run names, is not there or cannot be read"
      return
    }
    let reading = ManifestReader.read(bytes, file: path, families: BuiltIn.families, files: .beside(path))
    let read = reading.building
    if let read, read.id != building {
      note =
        "not in the bundle: \(path.visible), which the newest run names, now describes \(read.id.visible)"
      return
    }
    let redacted = ManifestReader.redacted(
      bytes, file: path, families: BuiltIn.families, files: .beside(path))
    text = Array(Self.joined(redacted).utf8)
    let isSame = recorded.map { $0 == reading.digest }
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

  /// The manifest, followed by each file that it names.
  private static func joined(_ texts: [(name: String, text: String)]) -> String {
    texts[0].text + texts.dropFirst().map { "\n\n# --- \($0.name.visible) ---\n\n\($0.text)" }.joined()
  }
}

/// Searches the files of a bundle for secrets.
struct SecretSearch {
  /// The secrets as plain text, and as encoded in JSON, markup and hexadecimal, by their first byte.
  private let forms: [[[UInt8]]]
  /// The number of secrets.
  let count: Int

  init(_ secrets: [Secret]) {
    let texts = Set(secrets.filter(\.isResolved).map { $0.reveal() }).filter { !$0.isEmpty }.sorted()
    count = texts.count
    let all = texts.flatMap { text -> [String] in
      let hex = text.utf8.hex()
      let json = text.escaping(["\\": "\\\\", "\"": "\\\""])
      let markup = text.escaping(["&": "&amp;", "<": "&lt;", ">": "&gt;"])
      return [
        text, json, json.escaping(["/": "\\/"]), markup,
        markup.escaping(["\"": "&quot;"]), hex, hex.uppercased(),
      ]
    }
    var forms = [[[UInt8]]](repeating: [], count: 256)
    for form in Set(all).sorted().map({ Array($0.utf8) }) { forms[Int(form[0])].append(form) }
    self.forms = forms
  }

  /// Whether the bytes contain a secret. One pass for all secrets: the standard library's `contains` takes 350 ns per byte and
  /// form.
  func finds(in bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
      forms[Int(bytes[index])].contains { bytes[index...].starts(with: $0) }
    }
  }
}

extension String {
  /// The text with these scalars replaced. A combining mark after one of them hides nothing, as it would where characters
  /// are compared.
  fileprivate func escaping(_ escapes: [Unicode.Scalar: String]) -> String {
    unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
  }
}
