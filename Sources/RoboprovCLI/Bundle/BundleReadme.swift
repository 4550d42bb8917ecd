import Foundation
import Journal
import Model
import Reporting

/// What a bundle says of itself: what is in it, what is wrong with it, what is not in it.
struct BundleReadme {
  static let name = "README.txt"

  let bundle: SupportBundle
  let lines: [SupportBundle.Line]
  /// How many passwords every file was searched for.
  let passwords: Int
  /// How many addresses were replaced; nil where they are as they were.
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
      ["Damage"] + damage.map { "- " + $0 }, ["Not in the bundle, or not whole"] + missing.map { "- " + $0 },
      ["Secrets"] + secrets.map { "- " + $0 }, ["Addresses", "- " + addressNote],
      ["Content: SHA-256 and name. This checks it: \(Self.check)"] + lines.map { "\($0.sha256)  \($0.name)" },
    ])
  }

  /// The lines of the list are sha256sum's own.
  private static let check = "grep -E '^[0-9a-f]{64}  ' \(name) | sha256sum -c"

  private func paragraphs(_ paragraphs: [[String]]) -> String {
    paragraphs.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private var damage: [String] {
    let torn = bundle.archive.runs.compactMap { run in
      run.record.tornLine.map {
        "\(run.journal.visible):\($0.line): the last line was cut off (\($0.bytes) bytes): the run was killed, or goes on; all before it counts"
      }
    }
    let faults = bundle.archive.faults.map {
      FaultWords.sentence($0.kind, in: $0.journal) + ". It is in the bundle as it is"
    }
    let all = faults + torn
    return all.isEmpty ? ["none: all journals are whole"] : all
  }

  private var missing: [String] {
    let skipped = bundle.archive.skipped.map {
      "\($0.visible) is not a run's folder: its files are here as they are"
    }
    return ["manifest: \(bundle.manifest.note)"]
      + bundle.messages.notes.map {
        "the Bluetooth service's messages: \(bundle.messages.text == nil ? "none" : "perhaps not all"). \($0.visible)"
      } + ["rehearsals: left out; they are simulated", "the link `latest`: left out"] + skipped
  }

  private var secrets: [String] {
    guard let secrets = bundle.manifest.secrets else {
      return [
        "The manifest's passwords are not known here, so nothing could be searched for. Records hold no password."
      ]
    }
    let elsewhere = Set(secrets.compactMap(\.reference?.identity)).count
    let note =
      elsewhere == 0
      ? []
      : [
        "\(elsewhere) \(elsewhere == 1 ? "password is" : "passwords are") not in the manifest, and could not be searched for. Records hold no password."
      ]
    return [
      "Every file here was searched for the \(passwords) \(passwords == 1 ? "password" : "passwords") of the manifest: none has one."
    ] + note
  }

  private var addressNote: String {
    guard let addresses else { return "as they are" }
    return """
      \(addresses) Bluetooth addresses are replaced by pseudonyms (00:00:00:00:00:01 and so on), the same in every file. So the \
      hash chains of the journals, the hashes in reports and signatures do not verify here. Names of rooms, networks and \
      hosts are as they are.
      """
  }
}
