import Bluetooth
import Model
import Testing
import VirtualTime

@testable import Families

/// What commands of an Improv device do with its answers, and how long they wait for them.
@Suite("Improv devices outside a provisioning") struct ImprovLinkTests {
  private static let attributes = [
    Improv.Attribute.state, Improv.Attribute.error, Improv.Attribute.command, Improv.Attribute.result,
  ]

  private static func device(_ capabilities: [UInt8]?, _ clock: VirtualClock) -> ScriptedDevice {
    let optional = capabilities == nil ? [] : [Improv.Attribute.capabilities]
    let device = ScriptedDevice(Improv.Attribute.service, attributes + optional, clock)
    if let capabilities { device.values[Improv.Attribute.capabilities] = capabilities }
    return device
  }

  // MARK: Networks

  /// A notification, in milliseconds after the command.
  struct Report: Sendable {
    var at: Int
    var characteristic: BluetoothUUID
    var value: [UInt8]

    static func error(_ at: Int, _ code: UInt8) -> Report {
      Report(at: at, characteristic: Improv.Attribute.error, value: [code])
    }

    static func list(_ at: Int, _ strings: String..., of command: ImprovFrame.Command = .scan) -> Report {
      let frame = ImprovFrame(command, strings: strings.map { Array($0.utf8) })
      return Report(at: at, characteristic: Improv.Attribute.result, value: frame?.bytes ?? [])
    }

    /// A string that is longer than its frame.
    static func broken(_ at: Int) -> Report {
      let frame = ImprovFrame(.scan, data: [9, 0x78])
      return Report(at: at, characteristic: Improv.Attribute.result, value: frame.bytes)
    }

    /// Two networks, whose data have so many bytes.
    static func list(_ at: Int, bytes: Int) -> Report {
      let word = String(repeating: "x", count: 100)
      return list(at, "A", "-50", word, "B", "-60", String(word.prefix(bytes - 114)))
    }
  }

  /// The reports after the command, the list that they give, and when it ends.
  struct Row: Sendable {
    var reports: [Report]
    /// The names of the networks; nil without a list.
    var names: [String]?
    var unreadable = 0
    var isComplete = true
    var end: Int
  }

  private static let longest = String(repeating: "S", count: 32)

  static let rows: [Row] = [
    Row(reports: [], names: nil, end: 8_000),
    Row(reports: [.error(100, 1)], names: nil, end: 100),
    Row(reports: [.error(100, 4)], names: nil, end: 100),
    // No error, and the answer to another command.
    Row(reports: [.error(100, 0), .list(200)], names: [], end: 200),
    Row(reports: [.list(100, "a", "b", "c", of: .deviceInfo), .list(200)], names: [], end: 200),
    // All in one result.
    Row(reports: [.list(100, "A", "-50", "WPA2", "B", "-60", "")], names: ["A", "B"], end: 100),
    Row(reports: [.list(100, "A", "-50", "", "B")], names: ["A"], unreadable: 1, end: 100),
    Row(
      reports: [.list(100, "A", "20", "", "B", "21", "", longest, "-50", "", longest + "S", "-50", "")],
      names: ["A", longest], unreadable: 2, end: 100),
    // A further network would have at most 49 bytes.
    Row(reports: [.list(100, bytes: 206)], names: ["A", "B"], end: 100),
    Row(reports: [.list(100, bytes: 207)], names: ["A", "B"], isComplete: false, end: 100),
    // One network may be the whole list, or the first of several.
    Row(reports: [.list(100, "A", "-50", "")], names: ["A"], end: 1_600),
    Row(
      reports: [.list(100, "A", "-50", ""), .list(1_500, "B", "-60", ""), .list(2_000)], names: ["A", "B"],
      end: 2_000),
    Row(
      reports: [.list(100, "A", "-50", ""), .list(1_500, "B", "-60", "")], names: ["A", "B"],
      isComplete: false, end: 3_000),
    // What cannot be read may be a network.
    Row(reports: [.list(100, "A", "x", "")], names: [], unreadable: 1, isComplete: false, end: 1_600),
    Row(reports: [.broken(100)], names: [], unreadable: 1, isComplete: false, end: 8_100),
    Row(
      reports: [.broken(100), .list(200, "A", "-50", "")], names: ["A"], unreadable: 1, isComplete: false,
      end: 1_700),
  ]

  @Test("a list ends with its results, or with silence, and says whether it is complete", arguments: rows)
  func networks(row: Row) async throws {
    try await VirtualTime.run { clock in
      let device = Self.device([0x04], clock)
      device.onWrite { device, _ in
        for report in row.reports {
          device.after(.milliseconds(report.at)) { $0.notify(report.value, of: report.characteristic) }
        }
      }
      let list = try await Improv.listNetworks(over: device, on: clock)
      #expect(clock.now.sinceZero == .milliseconds(row.end))
      #expect(list?.networks.map(\.ssid) == row.names && (list?.unreadable ?? 0) == row.unreadable)
      #expect((list.map { $0.extent == .whole } ?? true) == row.isComplete)
      #expect(device.writes == [[4, 0, 4]])
    }
  }

  // MARK: Capabilities

  @Test(
    "a device gets no command that its capabilities do not have",
    arguments: [
      (nil, false, false), ([], false, false), ([0x01, 0x01], false, false), ([0x01], true, false),
      ([0x02], false, false), ([0x04], false, true), ([0xFF], true, true),
    ] as [([UInt8]?, Bool, Bool)])
  func capabilities(value: [UInt8]?, blinks: Bool, lists: Bool) async throws {
    try await VirtualTime.run { clock in
      let device = Self.device(value, clock)
      #expect(try await Improv.identify(over: device, on: clock) == blinks)
      #expect(device.writes == (blinks ? [[2, 0, 2]] : []))
      device.onWrite { device, _ in device.notify([4, 0, 4], of: Improv.Attribute.result) }
      let list = try await Improv.listNetworks(over: device, on: clock)
      #expect((list != nil) == lists && device.writes.count == (blinks ? 1 : 0) + (lists ? 1 : 0))
    }
  }

  @Test("only a device without capabilities is discovered once more, without them")
  func discovery() async throws {
    try await VirtualTime.run { clock in
      let device = Self.device(nil, clock)
      device.failDiscoveries([.attributeMissing(Improv.Attribute.capabilities)])
      let isIdentified = try await Improv.identify(over: device, on: clock)
      #expect(!isIdentified)
      for code in [CentralError.Code.busy, .attributeMissing(Improv.Attribute.state)] {
        device.failDiscoveries([code])
        let error = await #expect(throws: CentralError.self) {
          try await Improv.identify(over: device, on: clock)
        }
        #expect(error?.code == code)
      }
    }
  }
}
