import FoundationEssentials
import Model

/// A file of labels: what each label has besides the name of its device, by that name. Only the owner may read it.
///
///     { "PROV_A1B2C3": { "pop": "abcd1234", "username": "wifiprov" } }
struct LabelFile {
  /// The maximum number of bytes to read.
  private static let longest = 1 << 24

  let path: String
  private var labels: [String: [String: String]] = [:]
  /// The bytes of the file; nil if it does not exist.
  private let bytes: [UInt8]?

  /// Reads the file; without a file there is no label.
  init(_ path: String) throws(SecretError) {
    self.path = path
    OutputFile.removeAbandoned(beside: path)
    do throws(InputFile.Problem) {
      bytes = try InputFile.contents(of: path, atMost: Self.longest, patience: nil).bytes
    } catch {
      guard case .missing = error else { throw .unreadable(path, reason: error.text) }
      bytes = nil
      return
    }
    guard FileFacts(of: path, .manifest(hasPasswords: true)).rightsOfOthers.isEmpty else {
      throw .openToOthers(path)
    }
    guard let labels = try? JSONDecoder().decode([String: [String: String]].self, from: Data(bytes ?? []))
    else {
      throw .notLabels(path)
    }
    self.labels = labels
  }

  /// Reads the file that a manifest names.
  /// - Throws: `CommandFailure` if it cannot be used.
  static func open(_ path: String, named reference: SecretReference) throws -> LabelFile {
    do throws(SecretError) {
      return try LabelFile(path)
    } catch {
      throw SecretMessages.failure(error, reference)
    }
  }

  /// What the label of a device has for a setting; empty for an optional one that it does not have.
  func secret(
    _ setting: SettingName, of device: String, _ descriptions: [SettingDescription]
  ) throws(SecretError) -> Secret {
    guard let label = labels[device] else { throw .noLabel }
    let text = label[setting.rawValue] ?? (descriptions.contains(where: \.isRequired) ? nil : "")
    guard let text else { throw .notOnLabel }
    return try SecretText.checked(Secret(text), descriptions)
  }

  /// Writes the file with these labels by the names of their devices.
  /// - Parameter isWhole: Whether they have all that is on the labels, and so take the place of earlier ones. A table may lack
  ///   a column.
  /// - Throws: `CommandFailure` if it was not changed.
  func write(_ added: [String: [SettingName: Secret]], isWhole: Bool) throws {
    var labels = labels
    for (device, secrets) in added {
      let earlier = isWhole ? [:] : labels[device] ?? [:]
      labels[device] = earlier.merging(secrets.map { ($0.rawValue, $1.reveal()) }) { $1 }
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    let text = [UInt8](try encoder.encode(labels)) + [UInt8(ascii: "\n")]
    if text != bytes { try OutputFile.change(path, from: bytes, to: text) }
  }
}

/// The files of labels of a building, each read once.
struct LabelFiles {
  private var files: [String: Result<LabelFile, SecretError>] = [:]

  mutating func read(_ path: String) throws(SecretError) -> LabelFile {
    if let file = files[path] { return try file.get() }
    do throws(SecretError) {
      let file = try LabelFile(path)
      files[path] = .success(file)
      return file
    } catch {
      files[path] = .failure(error)
      throw error
    }
  }
}
