import Bluetooth
import Engine
import Families
import Foundation
import Model
import Testing
import VirtualBuilding

@testable import Session

@Suite("WiFi check before a write", .timeLimit(.minutes(60)))
struct WiFiCheckScenarios {
  private static let other = WiFiNetwork(ssid: "Office, 2nd floor", rssi: -61)
  /// The network of `Sample`'s rooms.
  private static let own = WiFiNetwork(ssid: "Plant", rssi: -75)
  /// A list that ends with it has room for all networks that the sensor receives.
  private static let faint = WiFiNetwork(ssid: "Far", rssi: -88)

  private static func rooms(checks: Bool = true, wifi: Bool = true) -> [Room] {
    var room = Sample.room(1, address: 1, wifi: wifi)
    room.checksWiFi = checks
    return [room]
  }

  private func run(
    _ faults: [ScheduledFault] = [], rooms: [Room] = rooms(), networks: [WiFiNetwork]
  ) async throws -> Rehearsed {
    let run = try await rehearse([faults], rooms: rooms, scenario: { $0.wifiNetworks = networks })
      .expectInvariants()
    return run
  }

  private func checks(_ run: Rehearsed) -> [WiFiChecked] {
    run.facts { if case .wifiChecked(let fact) = $0 { fact } else { nil } }.map(\.1)
  }

  /// The setting writes that reached the sensor: all writes except `SCAN`.
  private func settings(_ run: Rehearsed) -> [WriteRecord] {
    run.writes.filter { $0.characteristic != RoboSensorGATT.wifiScan }
  }

  @Test("a sensor that receives its network is provisioned, and the record has the networks")
  func received() async throws {
    let run = try await run(networks: [Self.other, Self.own])
    #expect(run.outcome(1)?.outcome == .provisioned)
    let check = try #require(checks(run).first)
    #expect(checks(run).count == 1 && check.result == .received && check.ssid == "Plant")
    #expect(check.networks.map(\.ssid) == ["Office, 2nd floor", "Plant"])
    // Before the first setting.
    #expect(run.writes.first?.characteristic == RoboSensorGATT.wifiScan)
  }

  @Test("a sensor that does not receive its network is not written, and no attempt follows")
  func notReceived() async throws {
    // A network's name counts as it is written.
    for networks in [[Self.other, Self.faint], [], [WiFiNetwork(ssid: "plant", rssi: -90)]] {
      let run = try await run(networks: networks)
      let outcome = try #require(run.outcome(1))
      #expect(outcome.outcome == .actionRequired && outcome.attempts == 1)
      #expect(
        outcome.reason
          == .networkNotReceived(
            ssid: "Plant", networks: networks.map { FoundNetwork(ssid: $0.ssid, rssi: $0.rssi) }))
      #expect(settings(run).isEmpty)
      #expect(run.flashes[Sample.address(1)] == run.flashesBefore[Sample.address(1)])
    }
  }

  @Test("a sensor whose list may lack its network is provisioned, and the record says why")
  func notCertain() async throws {
    let crowd = (1...12).map { WiFiNetwork(ssid: "Neighbour \($0)", rssi: -45 - 4 * $0) }
    let cases: [([WiFiNetwork], WiFiCheckResult)] = [
      (crowd + [WiFiNetwork(ssid: "Plant", rssi: -92)], .listFull), (Array(crowd.prefix(6)), .listEndsStrong),
    ]
    for (networks, result) in cases {
      let run = try await run(networks: networks)
      #expect(run.outcome(1)?.outcome == .provisioned)
      #expect(checks(run).map(\.result) == [result])
      #expect(checks(run).first?.networks.count == min(10, networks.count))
    }
  }

  @Test("a network that hides its name is in no list, so no sensor is asked for one")
  func hidden() async throws {
    var rooms = Self.rooms()
    rooms[0].isNetworkHidden = true
    let run = try await run(rooms: rooms, networks: [Self.other, Self.faint])
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(checks(run).map(\.result) == [.hidden] && checks(run).first?.networks.isEmpty == true)
    #expect(!run.writes.contains { $0.characteristic == RoboSensorGATT.wifiScan })
  }

  @Test("a sensor that cannot list networks is provisioned, and the record says that nothing was checked")
  func unsupported() async throws {
    let run = try await run([.init(.withoutWiFiScan)], networks: [Self.other])
    #expect(run.outcome(1)?.outcome == .provisioned)
    #expect(checks(run).map(\.result) == [.unsupported])
  }

  @Test("no sensor is checked when the manifest does not want it or the room has no network")
  func notWanted() async throws {
    for rooms in [Self.rooms(checks: false), Self.rooms(wifi: false)] {
      let run = try await run(rooms: rooms, networks: [Self.other])
      #expect(run.outcome(1)?.outcome == .provisioned)
      #expect(checks(run).isEmpty)
      #expect(!run.writes.contains { $0.characteristic == RoboSensorGATT.wifiScan })
    }
  }

  @Test("a network whose name contains the password is recorded without it")
  func secret() async throws {
    let run = try await run(networks: [WiFiNetwork(ssid: "my correct horse", rssi: -84)])
    #expect(checks(run).first?.networks.map(\.ssid) == ["my •••"])
    #expect(run.outcome(1)?.reason?.networks?.map(\.ssid) == ["my •••"])
  }
}
