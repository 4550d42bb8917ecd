import EspMessages
import FoundationEssentials

/// The scans of a device (`prov-scan`): the networks that it receives, the strongest first.
struct EspFirmwareScan {
  /// The most networks that it keeps.
  private static let most = 16

  /// The networks of the last scan; none while one runs.
  private var found: [WiFiNetwork] = []
  private(set) var isRunning = false
  /// A request that is answered when the scan ends.
  var waiting: RequestID?

  /// The answer to a message; nil refuses. The number decides, and only a command with content needs its part.
  mutating func answer(_ message: EspScanMessage, _ request: RequestID) -> EspScanMessage? {
    var reply = EspScanMessage()
    switch (message.msg, message.payload) {
    case (0, .start(let start)?):
      // A second one changes nothing, and does not wait.
      if !isRunning, start.blocking { waiting = request }
      if !isRunning { (isRunning, found) = (true, []) }
      reply.startResponse = .init()
    case (2, _):
      reply.statusResponse.finished = !isRunning
      reply.statusResponse.resultCount = UInt32(found.count)
    case (4, .getResult(let page)?):
      let (first, end) = (Int(page.startIndex), Int(page.startIndex) + Int(page.count))
      guard first < Self.most, end <= (page.count == 0 ? Self.most : found.count) else { return nil }
      reply.resultResponse.entries = (first..<end).map { Self.entry(found[$0], number: $0) }
    default: return nil
    }
    reply.msg = message.msg + 1
    return reply
  }

  private static func entry(_ found: WiFiNetwork, number: Int) -> EspScanMessage.Network {
    var network = EspScanMessage.Network()
    network.ssid = Data(found.ssid.utf8.prefix(32))
    network.bssid = Data([0x24, 0x0A, 0xC4, 0, 1, UInt8(number)])
    (network.channel, network.rssi, network.auth) = (6, Int32(found.rssi), 3)
    return network
  }

  /// Ends the scan.
  /// - Returns: the request that waited for it, and its answer.
  mutating func end(with networks: [WiFiNetwork]) -> (RequestID, EspScanMessage)? {
    (isRunning, found) = (false, Array(networks.sorted { $0.rssi > $1.rssi }.prefix(Self.most)))
    guard let request = waiting else { return nil }
    waiting = nil
    var reply = EspScanMessage()
    (reply.msg, reply.startResponse) = (1, .init())
    return (request, reply)
  }
}
