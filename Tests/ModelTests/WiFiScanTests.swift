import Model
import Testing

@Suite("What a device's list of networks shows about its own") struct WiFiScanTests {
  struct Case: Sendable {
    /// The networks, each with its RSSI in dBm; nil for a device that cannot list them.
    var networks: [(String, Int)]?
    var unreadable = 0
    var extent = WiFiScan.Extent.whole
    var isHidden = false
    var verdict: WiFiCheckResult
  }

  /// As in a dense building: all are strong.
  private static let crowd = (1...9).map { ("Neighbour \($0)", -40 - $0) }

  @Test(
    "only a whole list that ends with a faint network shows that a network is missing",
    arguments: [
      // Present, however the list ends.
      Case(networks: [("Plant", -50)], verdict: .received),
      Case(networks: crowd + [("Plant", -90)], extent: .full, verdict: .received),
      Case(networks: [("Plant", -50)], unreadable: 1, extent: .cut, verdict: .received),
      // Absent.
      Case(networks: [], verdict: .notReceived),
      Case(networks: crowd + [("Far", -80)], verdict: .notReceived),
      Case(networks: [("Far", -95), ("Near", -30)], verdict: .notReceived),
      Case(networks: [("plant", -81)], verdict: .notReceived),
      // Not certain.
      Case(networks: crowd + [("Far", -79)], verdict: .listEndsStrong),
      Case(networks: [("Near", -30)], verdict: .listEndsStrong),
      Case(networks: crowd + [("Far", -95)], extent: .full, verdict: .listFull),
      Case(networks: crowd, extent: .full, verdict: .listFull),
      Case(networks: [("Far", -95)], unreadable: 1, verdict: .noAnswer),
      Case(networks: [("Far", -95)], unreadable: 1, extent: .full, verdict: .noAnswer),
      Case(networks: [], extent: .cut, verdict: .noAnswer),
      Case(networks: [("Far", -95)], extent: .cut, verdict: .noAnswer),
      // It cannot be checked.
      Case(networks: nil, verdict: .unsupported),
      Case(networks: nil, isHidden: true, verdict: .hidden),
      Case(networks: [("", -60), ("Far", -95)], isHidden: true, verdict: .hidden),
    ])
  func verdict(_ row: Case) {
    let scan = row.networks.map { networks in
      WiFiScan(
        networks: networks.map { FoundNetwork(ssid: $0.0, rssi: $0.1) }, unreadable: row.unreadable,
        extent: row.extent)
    }
    #expect(WiFiCheckResult(of: "Plant", isHidden: row.isHidden, in: scan) == row.verdict)
  }

  @Test(
    "a channel shows the band",
    arguments: [(nil, false), (1, false), (14, false), (36, true), (177, true)] as [(Int?, Bool)])
  func band(channel: Int?, isAt5GHz: Bool) {
    #expect(FoundNetwork(ssid: "Plant", rssi: -50, channel: channel).isAt5GHz == isAt5GHz)
  }
}
