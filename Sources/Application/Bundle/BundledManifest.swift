import Manifest
import Model
import YAML

/// A building's manifest for a bundle, without its secrets.
package struct BundledManifest {
  /// The text; nil if the manifest is not included.
  private(set) var text: [UInt8]?
  /// What it is, or why it is not included.
  package private(set) var note: String
  /// Its passwords as far as they are known, which no file may contain.
  private(set) var secrets: [Secret] = []

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
    secrets = read?.rooms.flatMap(\.secrets) ?? []
    if read == nil { note += ". It has errors, so its passwords are not known" }
  }

  /// The manifest, followed by each file that it names.
  private static func joined(_ texts: [(name: String, text: String)]) -> String {
    texts[0].text + texts.dropFirst().map { "\n\n# --- \($0.name.visible) ---\n\n\($0.text)" }.joined()
  }
}

/// Searches the files of a bundle for secrets.
struct SecretSearch {
  /// The secrets as they are and as in JSON, by their first byte.
  private var forms = [[[UInt8]]](repeating: [], count: 256)

  init(_ secrets: [Secret]) {
    for secret in Set(secrets.filter(\.isResolved).map { Array($0.reveal().utf8) }) where !secret.isEmpty {
      let json = secret.flatMap { "\"\\".utf8.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }
      for form in Set([secret, json]) { forms[Int(form[0])].append(form) }
    }
  }

  /// Whether the bytes contain a secret. One pass for all secrets: the standard library's `contains` takes 350 ns per byte and
  /// form.
  func finds(in bytes: [UInt8]) -> Bool {
    bytes.indices.contains { index in
      forms[Int(bytes[index])].contains { bytes[index...].starts(with: $0) }
    }
  }
}
