import Bluetooth
import Families
import Foundation
import Model
import ScenarioFiles
import Session
import Source
import VirtualBuilding
import YAML

@testable import Manifest
@testable import Reporting
@testable import Application
@testable import RoboprovCLI

extension FuzzTarget {
  /// Labels: the digits of a found address are consecutive in the text, and the address is found again in its
  /// canonical form.
  static let label = FuzzTarget(name: "label") { bytes in
    let text = String(decoding: bytes, as: UTF8.self)
    let address: BluetoothAddress
    do throws(LabelProblem) {
      address = try LabelText.address(in: text)
      Observation.take(address)
    } catch {
      return Observation.take(error)
    }
    func digits(_ text: String) -> String {
      String(
        text.replacing("%3A", with: "").replacing("%3a", with: "").uppercased().filter {
          $0.isASCII && $0.isHexDigit
        })
    }
    try Violation.unless(
      digits(text).contains(digits(address.description)), "the digits of the address are in the text")
    try Violation.unless(
      (try? LabelText.address(in: address.description)) == address, "it is found as it is written")
  }

  /// Labels of products: what is read can be in a manifest and in a file of labels, and a label that is written out
  /// again, as JSON or as a link, reads the same. No message shows a part of the text.
  static let productLabel = FuzzTarget(name: "product-label") { bytes in
    let label: DeviceLabel
    do throws(LabelProblem) {
      label = try LabelText.label(in: String(decoding: bytes, as: UTF8.self), of: "esp-idf")
      Observation.take(label)
    } catch {
      Observation.take(error)
      if case .product(let problem) = error {
        let words: Set = ["name", "pop", "username", "transport", "network", "data"]
        switch problem {
        case .missing(let key), .invalid(let key), .repeated(let key):
          try Violation.unless(words.contains(key), "a key is named")
        case .damaged, .notOverBluetooth, .notForWiFi: break
        }
      }
      return
    }
    guard case .name(let name) = label.device else { return }
    try Violation.unless(
      DeviceReference.nameDescription.violation(of: .text(name)) == nil, "a device can have the name")
    for (setting, secret) in label.secrets {
      try Violation.unless(
        DeviceFamily.espIDF[setting]?.violation(of: .secret(secret)) == nil, "a device can have the secret")
    }
    var texts = label.secrets.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value.reveal() }
    (texts["name"], texts["transport"]) = (name, "ble")
    let json = String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    let link =
      "https://example.com/?data="
      + json.utf8.map { "%" + String(0x100 | Int($0), radix: 16).dropFirst() }.joined()
    for text in [json, link] {
      try Violation.unless(
        (try? LabelText.label(in: text, of: "esp-idf")) == label || text.utf8.count > LabelText.maximumBytes,
        "a label that was written out reads the same")
    }
  }

  /// Setting an address in a manifest changes nothing else, or fails.
  private static func checkEdit(of building: Building, in bytes: [UInt8]) throws {
    guard let room = building.rooms.first, building.rooms.count < 100 else { return }
    let address = BluetoothAddress(rawValue: 0xC47C_8D5A_5A5A)
    let edit: ManifestEditor.Edit?
    do throws(ManifestEditError) {
      edit = try ManifestEditor(bytes, file: "building.yaml", families: .builtIn).setting(
        .address(address), of: room.id)
    } catch {
      return
    }
    guard let edit else { return }
    Observation.take(edit.bytes)
    var expected = building
    expected.rooms[0].setDevice(.address(address))
    try Violation.unless(
      ManifestReader.read(edit.bytes, file: "building.yaml", families: .builtIn).building == expected,
      "only the address changes")
  }

  /// The manifest with other devices of its rooms.
  private static func observeEdits(of building: Building, in bytes: [UInt8]) {
    guard Observation.receiver != nil else { return }
    for (index, room) in building.rooms.prefix(4).enumerated() {
      let device: DeviceReference =
        index == 0
        ? .name("PROV_5A5A5A") : .address(BluetoothAddress(rawValue: 0xC47C_8D5A_5A00 + UInt64(index)))
      do throws(ManifestEditError) {
        let editor = try ManifestEditor(bytes, file: "building.yaml", families: .builtIn)
        let edit = try editor.setting(device, of: room.id)
        Observation.take(edit?.bytes ?? [])
      } catch {
        Observation.take(error)
      }
    }
  }

  /// YAML: every place lies inside the text, and a document that is written out reads the same.
  static let yaml = FuzzTarget(name: "yaml") { bytes in
    let source = SourceText(bytes)
    let document: YAMLDocument
    do throws(YAMLError) {
      document = try YAMLParser.read(source)
      Observation.take(document.problems)
    } catch {
      Observation.take(error)
      try check(error.range, in: source)
      return
    }
    for problem in document.problems { try check(problem.range, in: source) }
    guard let root = document.root else { return }
    var nodes = 0
    try check(root, in: source, &nodes)
    guard document.problems.isEmpty else { return }
    try Violation.unless(try YAMLParser.parse(bytes) == root, "parse and read agree")
    guard nodes < 10_000 else { return }
    var text = ""
    write(root, to: &text)
    Observation.take(text)
    var copy: YAMLNode?
    do throws(YAMLError) {
      copy = try YAMLParser.parse(Array(text.utf8))
    } catch {
      throw Violation("a written document can be read: \(error.problem)")
    }
    try Violation.unless(
      copy.map { isSame($0, root) } ?? false, "a document that was written out is the same")
  }

  /// Manifests: findings lie inside the text and cannot control the terminal, and every room of a valid
  /// building has what its family needs.
  static let manifest = FuzzTarget(name: "manifest") { bytes in
    let reading = ManifestReader.read(bytes, file: "building.yaml", families: .builtIn)
    let source = SourceText(bytes)
    for finding in reading.diagnostics {
      try check(finding.range, in: source)
      for note in finding.notes { try check(note.range, in: source) }
    }
    try Violation.unless(
      (reading.building == nil) == reading.diagnostics.contains { $0.severity == .error },
      "there is a building or an error")
    Observation.take([reading.rendered, reading.building as Any])
    try checkIsHarmless(reading.rendered, "findings")
    Observation.take(reading.fixed().map(\.bytes))
    guard let building = reading.building else { return }
    try checkEdit(of: building, in: bytes)
    observeEdits(of: building, in: bytes)
    try Violation.unless(
      Set(building.rooms.map(\.id)).count == building.rooms.count, "each room has an id of its own")
    Observation.take(building.needsConfirmation)
    for room in building.rooms {
      if !room.isRegistered {
        Observation.take(room.family.timeouts(for: room.settings))
        try Violation.unless(
          room.family.hasIdentity == (room.identity != nil), "a checked room has the identity of its family")
      }
      Observation.take(room.settingResults(nil) { _ in .notWritten })
    }
  }

  /// Family files: findings lie inside the text and cannot control the terminal; a family without an error has an
  /// encoding for each of its values, and virtual devices that can begin.
  static let family = FuzzTarget(name: "family") { bytes in
    let reading = ManifestReader.family(bytes, file: "family.yaml", beside: .builtIn)
    let source = SourceText(bytes)
    for finding in reading.diagnostics {
      try check(finding.range, in: source)
      for note in finding.notes where note.range.text == 0 { try check(note.range, in: source) }
    }
    Observation.take([reading.rendered, reading.family as Any])
    try checkIsHarmless(reading.rendered, "findings")
    guard let family = reading.family else { return }
    try Violation.unless(
      !reading.diagnostics.contains { $0.severity == .error }, "a family has no error")
    for isLeast in [true, false] {
      var values: [SettingName: SettingValue] = [:]
      for setting in family.givenSettings {
        values[setting.name] = isLeast ? setting.kind.extremes.first : setting.kind.extremes.last
      }
      for written in family.written + [family.procedure?.unlock?.code].compactMap(\.self) {
        let bytes = family.encode(written, values)
        try Violation.unless(bytes.map { $0.count <= 512 } == true, "each value can be built")
        try Violation.unless(bytes.flatMap { written.parts(of: $0) } != nil, "what is built is as described")
      }
    }
    try Violation.unless(
      family.proof != .onAir || family.identity != nil, "a device that is proved on air has an identity")
    let firmware = FirmwareFamily(described: family).make(FirmwareConditions())
    Observation.take([firmware.advertising as Any, firmware.services])
    _ = FamilyDriver(described: family)
  }

  /// Scenarios: each finding has a place in the text, none controls the terminal, and there is a scenario or
  /// a finding.
  static let scenario = FuzzTarget(name: "scenario") { bytes in
    let reading = ScenarioReading(bytes, file: "scenario.yaml", families: FirmwareFamily.all)
    let source = SourceText(bytes)
    for finding in reading.findings { try check(finding.range, in: source) }
    Observation.take([reading.rendered(isColored: false), reading.scenario as Any, reading.speed])
    try checkIsHarmless(reading.rendered(isColored: false), "findings")
    try Violation.unless(
      (reading.scenario == nil) == !reading.findings.isEmpty, "there is a scenario or a finding")
    guard let scenario = reading.scenario else { return }
    try Violation.unless((0.01...1000).contains(reading.speed), "the speed is within its bounds")
    let unique = Set(scenario.adapters.map(\.name))
    try Violation.unless(unique.count == scenario.adapters.count, "no two adapters have one name")
    let addresses = scenario.adapters.map(\.address) + scenario.sensors.map(\.address)
    try Violation.unless(Set(addresses).count == addresses.count, "no two devices have one address")
  }

  /// - Throws: when the text has a character that a terminal acts on.
  static func checkIsHarmless(_ text: String, _ name: String) throws {
    let controlling = text.unicodeScalars.first { $0.isControlling && $0 != "\n" }
    try Violation.unless(
      controlling == nil, "nothing controls the terminal in \(name): \(text.debugDescription)")
  }

  /// - Throws: when a place is outside the text.
  static func check(_ range: SourceRange, in source: SourceText) throws {
    for mark in [range.start, range.end] {
      try Violation.unless((0...source.bytes.count).contains(mark.offset), "\(mark) is inside the text")
      try Violation.unless((1...source.lineCount).contains(mark.line), "\(mark) is on a line of the text")
      try Violation.unless(mark.column >= 1, "\(mark) has a column")
    }
    try Violation.unless(range.start.offset <= range.end.offset, "\(range) does not end before it begins")
  }

  private static func check(_ node: YAMLNode, in source: SourceText, _ nodes: inout Int) throws {
    // Nodes that aliases repeat are checked only up to this limit.
    nodes += 1
    guard nodes < 10_000 else { return }
    try check(node.range, in: source)
    for item in node.items ?? [] { try check(item, in: source, &nodes) }
    for entry in node.entries ?? [] {
      try check(entry.keyRange, in: source)
      try check(entry.value, in: source, &nodes)
    }
  }

  private static func isSame(_ a: YAMLNode, _ b: YAMLNode) -> Bool {
    switch (a.content, b.content) {
    case (.scalar(let a, _), .scalar(let b, _)): a.utf8.elementsEqual(b.utf8)
    case (.sequence(let a), .sequence(let b)): a.elementsEqual(b, by: isSame)
    case (.mapping(let a), .mapping(let b)):
      a.elementsEqual(b) { $0.key.utf8.elementsEqual($1.key.utf8) && isSame($0.value, $1.value) }
    default: false
    }
  }

  /// Writes a node as one line of flow collections and quoted scalars; all characters except letters and
  /// digits are escaped.
  private static func write(_ node: YAMLNode, to text: inout String) {
    switch node.content {
    case .scalar(let scalar, _): write(scalar, to: &text)
    case .sequence(let items):
      text += "["
      for item in items {
        write(item, to: &text)
        text += ", "
      }
      text += "]"
    case .mapping(let entries):
      text += "{"
      for entry in entries {
        text += "? "
        write(entry.key, to: &text)
        text += " : "
        write(entry.value, to: &text)
        text += ", "
      }
      text += "}"
    }
  }

  private static func write(_ scalar: String, to text: inout String) {
    text += "\""
    for scalar in scalar.unicodeScalars {
      if scalar.properties.isASCIIHexDigit {
        text.unicodeScalars.append(scalar)
      } else {
        let digits = String(scalar.value, radix: 16)
        text += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
      }
    }
    text += "\""
  }
}
