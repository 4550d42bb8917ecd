import Digest
import FoundationEssentials
import Journal

/// A signature over all files of a building's record. `building.sums` lists the SHA-256 of each file in the
/// format of sha256sum; `building.sums.sig` is its OpenSSH signature (`ssh-keygen -Y`, PROTOCOL.sshsig).
struct Signature {
  static let sums = "building.sums"
  static let signature = sums + ".sig"
  /// The OpenSSH namespace: a signature for another purpose is not valid here.
  private static let namespace = "roboprov"

  let folder: String

  var exists: Bool { FileManager.default.fileExists(atPath: "\(folder)/\(Self.signature)") }

  /// - Throws: `CommandFailure` with the message of ssh-keygen.
  func sign(_ paths: [String], with key: String, of building: String, in reports: String) throws {
    let lines = try paths.map { "\(try digest($0))  \($0)\n" }
    do throws(JournalError) {
      try BuildingDirectory.writeReport(Self.sums, lines.joined(), of: building, in: reports)
    } catch {
      throw JournalMessages.failure(error)
    }
    try? FileManager.default.removeItem(atPath: "\(folder)/\(Self.signature)")
    let outcome = try Self.keygen([
      "-Y", "sign", "-q", "-f", key, "-n", Self.namespace, "\(folder)/\(Self.sums)",
    ])
    guard outcome.status == 0 else {
      throw CommandFailure(
        .usage, "ssh-keygen cannot sign: \(outcome.text)",
        advice: "Name an OpenSSH private key with --key FILE; `ssh-keygen -t ed25519` makes one.")
    }
  }

  /// The files that changed after signing.
  /// - Throws: `CommandFailure` if the list cannot be read.
  func changed() throws -> [String] {
    guard let text = InputFile.recorded("\(folder)/\(Self.sums)").map({ String(decoding: $0, as: UTF8.self) })
    else {
      throw CommandFailure(
        .record, "\(folder)/\(Self.sums) cannot be read", advice: "Put a whole copy in its place.")
    }
    return text.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
      guard parts.count == 2 else { return String(line) }
      let path = parts[1].drop { $0 == " " }
      return (try? digest(String(path))) == String(parts[0]) ? nil : String(path)
    }
  }

  /// Verifies the signature, and returns the signer as ssh-keygen names it.
  /// - Parameters:
  ///   - signers: The file of allowed signers (ssh-keygen(1)); nil to accept any key, which is then known
  ///     only by its fingerprint.
  ///   - identity: The identity in `signers` that must have signed.
  /// - Throws: `CommandFailure` if the signature is not valid.
  func verify(_ signers: String?, as identity: String?) throws -> String {
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

  private func digest(_ path: String) throws -> String {
    guard let bytes = InputFile.recorded("\(folder)/\(path)") else {
      throw CommandFailure(
        .record, "\(folder)/\(path) cannot be read", advice: "Put a whole copy in its place.")
    }
    return SHA256(of: bytes).hex
  }

  private static func keygen(_ arguments: [String], input: String = "/dev/null") throws -> ToolOutcome {
    let outcome = ToolOutcome(["/usr/bin/ssh-keygen"] + arguments, input: input)
    guard !outcome.isMissing else {
      throw CommandFailure(
        .unavailable, "ssh-keygen cannot be started: \(outcome.errors)",
        advice: "Signatures need it: `sudo apt-get install openssh-client`.")
    }
    return outcome
  }
}
