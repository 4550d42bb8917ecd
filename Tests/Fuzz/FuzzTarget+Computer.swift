import Bluetooth
import Families
import Foundation
import Manifest
import Model
import Reporting
import Source

@testable import Application
@testable import Journal
@testable import RoboprovCLI

extension FuzzTarget {
  /// What another host answers to `doctor`, a line for each file; the harness encodes the contents. It gives the same
  /// findings each time, which cannot control the terminal.
  static let host = FuzzTarget(name: "host") { bytes in
    let lines = bytes.lines.map { line in
      let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false)
      guard words.count == 3, words[0].elementsEqual("f".utf8) else {
        return String(decoding: line, as: UTF8.self)
      }
      let content = String(decoding: words[2], as: UTF8.self).replacing("\\n", with: "\n").replacing(
        "\\0", with: "\0")
      return "f \(String(decoding: words[1], as: UTF8.self)) \(Data(content.utf8).base64EncodedString())"
    }
    let asked = Duration.seconds(1_795_251_600)
    func findings() -> [String] {
      let answer = HostFacts(
        Array(lines.joined(separator: "\n").utf8), from: asked, to: asked + .seconds(1))
      var radio = RadioFacts(
        stack: "BlueZ 5.66",
        adapters: (answer.bluetooth.value?.controllers ?? []).enumerated().map { index, controller in
          RadioFacts.Item(
            adapter: Adapter(
              id: AdapterID(BluetoothAddress(rawValue: UInt64(index))), name: controller.name, state: .ready),
            links: [])
        })
      let own = Diagnosis(host: answer, radio: radio).findings
      if let name = HostName("gw3") {
        radio.hosts = [
          .init(
            description: HostDescription(name, ssh: "gw3"), stack: nil, failure: nil,
            roundTrip: nil, facts: answer)
        ]
      }
      return [own, Diagnosis(host: answer, radio: radio).findings].map {
        $0.lines(TerminalStyle(width: 80, hasColor: false)).joined(separator: "\n")
      }
    }
    let found = findings()
    Observation.take(found)
    for text in found { try checkIsHarmless(text, "the findings") }
    try Violation.unless(findings() == found, "the findings are the same each time")
  }

  /// The words of a command line, a line for each: a command or an error.
  static let arguments = FuzzTarget(name: "arguments") { bytes in
    let words = bytes.lines.map { String(decoding: $0, as: UTF8.self) }
    do {
      let command = try Roboprov.command(words)
      Observation.take("\(type(of: command))")
    } catch {
      Observation.take("\(type(of: error))")
    }
  }

  /// The line in a lock file: a holder that is written out reads the same.
  static let lock = FuzzTarget(name: "lock") { bytes in
    guard let holder = LockHolder(line: bytes) else { return }
    Observation.take(holder)
    // A time is written to the millisecond.
    try Violation.unless(
      LockHolder(line: holder.line)?.description == holder.description, "a holder reads as it is written")
  }

  /// The list of a signed state, and its statement after an empty line.
  static let signature = FuzzTarget(name: "signature") { bytes in
    let reports = NSTemporaryDirectory() + "roboprov-fuzz-\(UUID())"
    let folder = "\(reports)/b/\(SignedFolders.name)/20261121T090000Z"
    let files = FileManager.default
    defer { try? files.removeItem(atPath: reports) }
    try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.components(separatedBy: "\n\n")
    try Data((parts[0] + "\n").utf8).write(to: URL(filePath: folder + "/" + SignedState.sums))
    try Data(parts.dropFirst().joined().utf8).write(to: URL(filePath: folder + "/" + SignedState.statement))
    let states: [SignedState]
    do {
      states = try SignedState.all(of: "b", in: reports)
    } catch {
      return Observation.take(
        ((error as? CommandFailure)?.message ?? "\(error)").replacing(reports, with: ""))
    }
    for state in states {
      Observation.take([
        state.signed as Any, state.runs, state.copies, state.changed, state.missingRuns, state.statement,
      ])
      for path in state.copies { try Violation.unless(!path.contains(".."), "no other file is read") }
    }
  }

  /// The value of a characteristic, after its number among those of all families: what is decoded encodes to it.
  static let value = FuzzTarget(name: "value") { bytes in
    let all = FamilyCatalogue.builtIn.all.flatMap { family in family.characteristics.map { (family, $0) } }
    let (family, characteristic) = all[Int(bytes.first ?? 0) % all.count]
    let value = Array(bytes.dropFirst())
    let settings = family.decode(characteristic, value)
    Observation.take([
      settings, family.held(characteristic, value), family.encode(characteristic, settings) as Any,
    ])
    try Violation.unless(
      family.held(characteristic, value).count == characteristic.settings.count, "each setting is shown")
    guard !settings.isEmpty, settings.count == characteristic.settings.count,
      characteristic.fields.allSatisfy({ $0.setting != nil })
    else { return }
    try Violation.unless(
      family.encode(characteristic, settings) == value, "what is decoded encodes to the same bytes")
  }
}
