import Digest
package import FoundationEssentials
import Host
import Journal
import Model

/// A signed state of a building, `signed/<time>/` in its folder: the reports as they were, and the journals by hash.
///
/// `building.sums` lists the SHA-256 of each copy and of each journal, in the format of sha256sum and relative to
/// the folder; `building.sums.sig` is its OpenSSH signature (`ssh-keygen -Y`, PROTOCOL.sshsig). roboprov changes
/// nothing there afterwards.
package struct SignedState {
  static let sums = "building.sums"
  package static let signature = sums + ".sig"
  /// What the signature is about: its time, and where `latest` pointed.
  static let statement = "signed.json"
  /// The OpenSSH namespace: a signature for another purpose is not valid here.
  private static let namespace = "roboprov"

  /// What was signed, without the files.
  package struct Statement: Codable, Hashable {
    var schema = "roboprov/signed/1"
    package var building: String
    /// When it was signed, by the clock of the signer's host.
    package var signed: String
    /// The run that `latest` pointed to.
    var latest: String?
  }

  /// The building's folder.
  let building: String
  /// The name of the state's folder.
  package let name: String
  package let statement: Statement
  /// Path and SHA-256 of each signed file.
  private let files: [(path: String, sha256: String)]

  /// The state's folder.
  package var folder: String { "\(building)/\(SignedFolders.name)/\(name)" }
  /// When it was signed.
  package var signed: Date? { RunEvent.time(statement.signed) }

  /// The runs whose journals are signed.
  package var runs: Set<String> { Set(files.compactMap { Self.run(ofJournal: $0.path) }) }
  /// The paths of the signed copies, and of the list and its signature, in the state's folder.
  var copies: [String] {
    files.map(\.path).filter { Self.run(ofJournal: $0) == nil } + [Self.sums, Self.signature]
  }

  /// The signed states of a building, oldest first.
  /// - Throws: `CommandFailure` if one of them cannot be read.
  package static func all(of building: String, in reports: String) throws -> [SignedState] {
    let names = try JournalMessages.translating(SignedFolders.names(of: building, in: reports))
    return try names.map { try SignedState($0, in: "\(reports)/\(building)") }
      .sorted { ($0.statement.signed, $0.name) < ($1.statement.signed, $1.name) }
  }

  private init(_ name: String, in building: String) throws {
    (self.building, self.name) = (building, name)
    let folder = "\(building)/\(SignedFolders.name)/\(name)"
    guard let sums = InputFile.recorded("\(folder)/\(Self.sums)"),
      let bytes = InputFile.recorded("\(folder)/\(Self.statement)"),
      let statement = try? JSONDecoder().decode(Statement.self, from: Data(bytes))
    else { throw Self.broken(folder, "lacks its list of files, or it cannot be read") }
    self.statement = statement
    files = try String(decoding: sums, as: UTF8.self).split(separator: "\n").map { line in
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      let path = parts.count == 2 ? String(parts[1].drop { $0 == " " }) : ""
      // The list may be forged: no other file is read.
      guard !path.isEmpty, Self.run(ofJournal: path) != nil || !path.split(separator: "/").contains("..")
      else {
        throw Self.broken(folder, "has a list of files that roboprov did not write")
      }
      return (path, String(parts[0]))
    }
    guard files.contains(where: { $0.path == Self.statement }) else {
      throw Self.broken(folder, "has a list of files without \(Self.statement)")
    }
  }

  /// The run of a path `../../<run>/journal.jsonl`; nil for another path.
  private static func run(ofJournal path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == "..", parts[1] == "..", parts[2] != "..",
      parts[3] == JournalWriter.fileName
    else { return nil }
    return String(parts[2])
  }

  private static func broken(_ folder: String, _ what: String) -> CommandFailure {
    CommandFailure(
      .record, "the signed state \(folder.visible) \(what)",
      advice: "Do not rely on it. Ask the signer for a complete copy.")
  }

  // MARK: Checking

  /// The copies that differ from what was signed, and journals that were changed since. A journal that is missing is
  /// among `missingRuns` instead.
  var changed: [String] {
    files.filter { file in
      guard let bytes = InputFile.recorded("\(folder)/\(file.path)") else {
        return Self.run(ofJournal: file.path) == nil
      }
      return SHA256(of: bytes).hex != file.sha256
    }.map(\.path)
  }

  /// The signed runs that are not there, by id.
  package var missingRuns: [String] {
    files.filter { InputFile.recorded("\(folder)/\($0.path)") == nil }
      .compactMap { Self.run(ofJournal: $0.path) }.sorted()
  }

  /// Verifies that files and signature are what was signed, and returns the signer as ssh-keygen names it.
  /// - Parameters:
  ///   - signers: The file of allowed signers (ssh-keygen(1)); nil to accept any key, which is then known
  ///     only by its fingerprint.
  ///   - identity: The identity in `signers` that must have signed.
  /// - Throws: `CommandFailure` if a file was changed or the signature is not valid.
  package func verify(_ signers: String? = nil, as identity: String? = nil) throws -> String {
    let changed = changed
    guard changed.isEmpty else {
      throw CommandFailure(
        .record,
        "changed after signing: \(changed.map { "\(folder)/\($0)".visible }.joined(separator: ", "))",
        advice: "Do not rely on it. Put a complete copy in its place, or ask the signer for one.")
    }
    guard InputFile.recorded("\(folder)/\(Self.signature)", atMost: 1 << 20) != nil else {
      throw Self.broken(folder, "has no signature, or it cannot be read")
    }
    // ssh-keygen itself would wait for a pipe.
    if let signers { _ = try InputFile.read(signers, atMost: 1 << 20, patience: nil) }
    let common = ["-n", Self.namespace, "-s", "\(folder)/\(Self.signature)"]
    let arguments =
      signers.map { ["-Y", "verify", "-f", $0, "-I", identity ?? ""] + common } ?? ["-Y", "check-novalidate"]
      + common
    let outcome = try Self.keygen(arguments, input: "\(folder)/\(Self.sums)")
    guard outcome.status == 0 else {
      throw CommandFailure(
        .record, "the signature in \(folder)/\(Self.signature) is not valid: \(outcome.text)",
        advice: "Do not rely on these reports. Ask the signer for a complete copy.")
    }
    return outcome.text
  }

  // MARK: Signing

  /// Freezes the reports of a building and signs them with its journals.
  /// - Parameters:
  ///   - paths: The reports and journals, relative to the building's folder.
  ///   - latest: The run that `latest` points to.
  /// - Throws: `CommandFailure`, with the message of ssh-keygen; then nothing is signed.
  package static func sign(
    _ paths: [String], with key: String, of building: String, in reports: String, latest: String?,
    at now: Date
  ) throws -> SignedState {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    let statement = Statement(building: building, signed: RunEvent.timestamp(now), latest: latest)
    var copies = [(path: Self.statement, bytes: [UInt8](try encoder.encode(statement)))]
    var sums: [String] = []
    for path in paths {
      guard let bytes = InputFile.recorded("\(reports)/\(building)/\(path)") else {
        throw CommandFailure(
          .record, "\(reports)/\(building)/\(path) cannot be read", advice: "Put a complete copy there.")
      }
      if path.hasSuffix("/" + JournalWriter.fileName) {
        sums.append("\(SHA256(of: bytes).hex)  ../../\(path)\n")
      } else {
        copies.append((path, bytes))
      }
    }
    sums = copies.map { "\(SHA256(of: $0.bytes).hex)  \($0.path)\n" } + sums
    let name = statement.signed.filter { $0 != "-" && $0 != ":" }
    do {
      _ = try SignedFolders.add(
        name, copies + [(Self.sums, Array(sums.joined().utf8))], of: building, in: reports
      ) { folder in
        let outcome = try keygen(["-Y", "sign", "-q", "-f", key, "-n", namespace, "\(folder)/\(Self.sums)"])
        guard outcome.status == 0 else {
          throw CommandFailure(
            .usage, "ssh-keygen cannot sign: \(outcome.text)",
            advice: "Name an OpenSSH private key with --key FILE; `ssh-keygen -t ed25519` makes one.")
        }
      }
    } catch let error as JournalError {
      throw JournalMessages.failure(error)
    }
    return try SignedState(name, in: "\(reports)/\(building)")
  }

  private static func keygen(_ arguments: [String], input: String = "/dev/null") throws -> ToolOutcome {
    let outcome = ToolOutcome(
      ["/usr/bin/ssh-keygen"] + arguments, input: input, asks: input == "/dev/null", within: .seconds(120))
    guard !outcome.isMissing else {
      throw CommandFailure(
        .unavailable, "ssh-keygen cannot be started: \(outcome.errors)",
        advice: "Signatures need it: `sudo apt-get install openssh-client`.")
    }
    return outcome
  }
}
