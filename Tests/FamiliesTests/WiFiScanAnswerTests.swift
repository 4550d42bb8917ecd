import Bluetooth
import Model
import Testing
import VirtualTime

@testable import Families

/// The time limits of a response to `SCAN` (docs/internals/protocols.md, "WiFi scan").
@Suite("the end of a Robo Sensor's list of WiFi networks")
struct WiFiScanAnswerTests {
  struct Case: Sendable {
    /// The notifications, each with its instant in milliseconds.
    var notifications: [(at: Int, text: String)] = []
    /// The end of the response, in milliseconds.
    var end: Int
    var extent: WiFiScan.Extent
  }

  private static func lines(_ count: Int) -> String {
    (1...count).map { "N\($0),-\(50 + $0)\n" }.joined()
  }

  @Test(
    "a response ends with `END`, half a second after its last notification without `MORE`, or after 5 s",
    arguments: [
      Case(end: 5000, extent: .cut),
      Case(notifications: [(100, "A,-50\nMORE")], end: 5000, extent: .cut),
      Case(notifications: [(4900, "A,-50\nEND")], end: 4900, extent: .whole),
      Case(notifications: [(100, "A,-50")], end: 600, extent: .whole),
      Case(notifications: [(100, "A,-50"), (550, "B,-60")], end: 1050, extent: .whole),
      Case(notifications: [(4800, "A,-50")], end: 5000, extent: .whole),
      Case(notifications: [(100, "A,-50"), (200, "B,-60\nMORE")], end: 5000, extent: .cut),
      Case(notifications: [(100, lines(9) + "END")], end: 100, extent: .whole),
      Case(notifications: [(100, lines(10) + "END")], end: 100, extent: .full),
      Case(notifications: [(100, lines(10) + "MORE")], end: 5000, extent: .cut),
      Case(notifications: [(100, lines(9) + "unreadable\nEND")], end: 100, extent: .full),
    ])
  func end(_ row: Case) async throws {
    try await VirtualTime.run { clock in
      let (stream, notify) = AsyncStream.makeStream(of: CharacteristicNotification.self)
      let answer = WiFiScanAnswer(clock)
      let began = clock.now
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          for notification in row.notifications {
            let at = began.advanced(by: .milliseconds(notification.at))
            guard (try? await clock.sleep(until: at, tolerance: nil)) != nil else { return }
            notify.yield(.init(value: Array(notification.text.utf8), receivedAt: at))
          }
        }
        #expect(await !answer.receive(stream))
        #expect(began.duration(to: clock.now) == .milliseconds(row.end))
        group.cancelAll()
      }
      #expect(answer.scan.extent == row.extent)
    }
  }

  @Test("a response whose notifications end before it says so")
  func lost() async throws {
    try await VirtualTime.run { clock in
      let (stream, notify) = AsyncStream.makeStream(of: CharacteristicNotification.self)
      notify.finish()
      #expect(await WiFiScanAnswer(clock).receive(stream))
    }
  }

  private static func sensor(_ clock: VirtualClock, _ answer: String?) -> ScriptedDevice {
    let sensor = ScriptedDevice(RoboSensor.Attribute.service, [RoboSensor.wifiScan], clock)
    sensor.onWrite { sensor, _ in
      if let answer { sensor.notify(Array(answer.utf8), of: RoboSensor.wifiScan) }
    }
    return sensor
  }

  @Test(
    "a link that ends within a response is lost, unless the response can be the whole list",
    arguments: [(nil, nil), ("A,-50\nMORE", nil), ("A,-50", ["A"])] as [(String?, [String]?)])
  func lostLink(answer: String?, names: [String]?) async throws {
    try await VirtualTime.run { clock in
      let sensor = Self.sensor(clock, answer)
      sensor.after(.milliseconds(300)) { $0.end() }
      do throws(CentralError) {
        let scan = try await RoboSensor.scanWiFi(over: sensor, on: clock)
        #expect(scan?.networks.map(\.ssid) == names && scan?.extent == .whole)
      } catch {
        #expect(error.code == .disconnected && names == nil)
      }
      #expect(clock.now.sinceZero == .milliseconds(300))
    }
  }

  @Test("only a sensor without the characteristic has no list")
  func discovery() async throws {
    try await VirtualTime.run { clock in
      let sensor = Self.sensor(clock, "END")
      sensor.failDiscoveries([.attributeMissing(RoboSensor.wifiScan)])
      let none = try await RoboSensor.scanWiFi(over: sensor, on: clock)
      #expect(none == nil)
      sensor.failDiscoveries([.disconnected])
      let error = await #expect(throws: CentralError.self) {
        try await RoboSensor.scanWiFi(over: sensor, on: clock)
      }
      #expect(error?.code == .disconnected)
      let list = try await RoboSensor.scanWiFi(over: sensor, on: clock)
      #expect(list?.extent == .whole)
    }
  }

  @Test("a scan that is interrupted has no list, not even what has arrived")
  func interrupted() async throws {
    try await VirtualTime.run { clock in
      let sensor = Self.sensor(clock, "A,-50")
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          let error = await #expect(throws: CentralError.self) {
            try await RoboSensor.scanWiFi(over: sensor, on: clock)
          }
          #expect(error?.code == .cancelled)
        }
        try? await clock.sleep(for: .milliseconds(300))
        group.cancelAll()
      }
    }
  }
}
