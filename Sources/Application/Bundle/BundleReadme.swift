import FoundationEssentials
import Journal
import Model

/// The README of a bundle: its contents, their damage, and what is left out.
struct BundleReadme {
  static let name = "README.txt"

  let bundle: SupportBundle
  let lines: [SupportBundle.Line]
  /// The number of passwords that every file was searched for.
  let passwords: Int
  /// The number of replaced addresses; nil if addresses are unchanged.
  let addresses: Int?

  var text: String {
    let archive = bundle.archive
    let first = archive.runs.lazy.compactMap { $0.record.events.first?.at }.first
    let last = archive.runs.reversed().lazy.compactMap { $0.record.events.last?.at }.first
    let time = [first, last].compactMap(\.self).map(RunEvent.timestamp).joined(separator: " to ")
    let name = archive.buildingName ?? bundle.building
    return paragraphs([
      ["roboprov support bundle"],
      [
        "Building   \(name.visible) (\(bundle.building))",
        "Made       \(RunEvent.timestamp(bundle.made)) on \(HostEnvironment.hostName.visible) by roboprov \(Version.current)",
        "Records    \(archive.runs.count)\(time.isEmpty ? "" : ", \(time)")",
      ],
      ["Damage"] + damage.map { "- " + $0 }, ["Missing or incomplete"] + missing.map { "- " + $0 },
      ["Secrets"] + secrets.map { "- " + $0 }, ["Addresses", "- " + addressNote],
      ["Content: SHA-256 and name. This checks it: \(Self.check)"] + lines.map { "\($0.sha256)  \($0.name)" },
    ])
  }

  /// The lines of the list have the format of sha256sum.
  private static let check = "grep -E '^[0-9a-f]{64}  ' \(name) | sha256sum -c"

  private func paragraphs(_ paragraphs: [[String]]) -> String {
    paragraphs.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private var damage: [String] {
    let torn = bundle.archive.runs.compactMap { run in
      run.record.tornLine.map {
        "\(run.journal.visible):\($0.line): the last line is incomplete (\($0.bytes) bytes): the run was killed or is active; the lines before it are used"
      }
    }
    let faults = bundle.archive.faults.map {
      FaultWords.sentence($0.kind, in: $0.journal) + ". The bundle has it unchanged"
    }
    let all = faults + torn
    return all.isEmpty ? ["none: all journals are complete"] : all
  }

  private var missing: [String] {
    let others = bundle.files.others.map {
      "\($0.visible): left out; roboprov did not write it, or not for these runs"
    }
    return ["manifest: \(bundle.manifest.note)"]
      + bundle.messages.notes.map {
        "the Bluetooth service's messages: \(bundle.messages.text == nil ? "none" : "perhaps not all"). \($0.visible)"
      } + ["rehearsals: left out; they are simulated", "the link `latest` and hidden files: left out"]
      + others
  }

  private var secrets: [String] {
    guard let secrets = bundle.manifest.secrets else {
      return [
        "The manifest's passwords are unknown here, so the files were not searched for them. Records contain no password."
      ]
    }
    let elsewhere = Set(secrets.compactMap(\.reference?.identity)).count
    let note =
      elsewhere == 0
      ? []
      : [
        "Passwords outside the manifest, which were not searched for: \(elsewhere). Records contain no password."
      ]
    return [
      "Every file was searched for the \(passwords) \(passwords == 1 ? "password" : "passwords") of the manifest: no file contains one."
    ] + note
  }

  private var addressNote: String {
    guard let addresses else { return "unchanged" }
    return """
      Bluetooth addresses replaced with pseudonyms: \(addresses) (00:00:00:00:00:01 and so on, the same in every file). So the \
      hash chains of the journals, the hashes in reports and the signatures do not verify here. Names of rooms, networks and \
      hosts are unchanged.
      """
  }
}
