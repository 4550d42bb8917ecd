import Bluetooth
import Families
import Model
import SampleFacts
import Testing

@testable import Reporting

@Suite("`plan` on a terminal and in a file") struct PlanViewTests {
  private static func step(_ name: String, _ settings: [PlannedSetting]?) -> PlannedStep {
    PlannedStep(
      room: RoomID(rawValue: name.lowercased()), name: name, action: settings == nil ? .stop : .provision,
      address: .sensor(1), basis: settings == nil ? nil : .address, settings: settings, received: true,
      rssi: -71,
      outcome: settings == nil ? .pending : nil, reason: settings == nil ? .noCandidate() : nil)
  }

  private static func plan(_ steps: [PlannedStep]) -> ApplyPlan {
    ApplyPlan(building: "b", manifestSHA256: "", rooms: steps)
  }

  private static let building = Building(id: "b", name: "B", rooms: [], families: .builtIn)
  private static let moved = step(
    "Pantry",
    [
      PlannedSetting(name: .wifiSSID, value: "Guests", recorded: "Guests", change: .unchanged),
      PlannedSetting(name: .wifiPassword, value: nil, change: .changed),
      PlannedSetting(name: .roomName, value: "Pantry", recorded: "Kitchen", change: .changed),
      PlannedSetting(name: .minor, value: "302", recorded: "301", change: .changed),
    ])

  @Test(
    "a plan shows known old values as old → new, and of a password only whether it changes",
    arguments: [
      (
        [
          PlannedSetting(name: .wifiSSID, value: "Guests", change: .set),
          PlannedSetting(name: .wifiPassword, value: nil, change: .set),
          PlannedSetting(name: .roomName, value: "Pantry", change: .set),
          PlannedSetting(name: .minor, value: "302", change: .set),
        ], "WiFi Guests, password set, minor 302"
      ),
      (moved.settings ?? [], "WiFi Guests, password changed, name Kitchen → Pantry, minor 301 → 302"),
      (
        [
          PlannedSetting(name: .wifiPassword, value: nil),
          PlannedSetting(name: .roomName, value: "Larder"), PlannedSetting(name: .minor, value: "302"),
        ], "name Larder, minor 302"
      ),
      ([PlannedSetting(name: .wifiPassword, value: nil, change: .unchanged)], "password unchanged"),
      (
        [PlannedSetting(name: .wifiSSID, value: "A, B → C\u{1B}[31m", recorded: "", change: .changed)],
        "WiFi “” → “A, B → C\\u{1B}[31m”"
      ),
      ([PlannedSetting(name: "colour", value: "red")], "colour red"),
    ])
  func writes(_ settings: [PlannedSetting], _ expected: String) {
    let rows = PlanView.rows(Self.plan([Self.step("Pantry", settings)]), of: Self.building)
    #expect(rows.map(\.writes) == [expected])
  }

  @Test("a plan is a table in a file and on a wide terminal; on a narrow one details are below each room")
  func widths() {
    let plan = Self.plan([Self.moved, Self.step("Attic", nil)])
    func lines(_ width: Int?) -> [String] {
      PlanView.lines(
        plan, of: Self.building, style: width.map { TerminalStyle(width: $0, hasColor: false) })
    }
    let table = lines(nil)
    #expect(table.count == 3 && table[0].hasPrefix("ROOM    WHAT       DEVICE             SIGNAL   WRITES  "))
    #expect(table[1].hasSuffix("minor 301 → 302  address in the manifest"))
    #expect(lines(200) == table)
    let narrow = lines(80)
    #expect(
      narrow.prefix(5) == [
        "ROOM    WHAT       DEVICE             SIGNAL",
        "Pantry  provision  \(BluetoothAddress.sensor(1))  -71 dBm",
        "    writes WiFi Guests, password changed, name Kitchen → Pantry,",
        "      minor 301 → 302", "    address in the manifest",
      ])
    #expect(narrow[5].hasPrefix("Attic   pending"))
    for width in [20, 40, 80] { #expect(lines(width).allSatisfy { $0.columns <= width }) }
  }

  @Test("a difference from a saved plan shows the planned and the current setting")
  func differences() {
    var now = Self.moved
    now.settings?[3].value = "303"
    let differences = Self.plan([Self.moved]).differences(from: Self.plan([now]))
    #expect(
      differences.map { $0.words(SettingTitles(FamilyCatalogue.builtIn)) } == [
        "Pantry: planned minor 302, now minor 303"
      ])
    now = Self.moved
    now.settings?[3].recorded = "300"
    now.settings?[1].change = nil
    #expect(Self.plan([Self.moved]).differences(from: Self.plan([now])).isEmpty, "the old value may change")
    now.settings?.removeFirst()
    #expect(
      Self.plan([Self.moved]).differences(from: Self.plan([now])).map {
        $0.words(SettingTitles(FamilyCatalogue.builtIn))
      }
        == ["Pantry: planned WiFi Guests, now no such setting"])
  }
}
