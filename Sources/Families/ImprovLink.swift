import Bluetooth
import Model
import Session
import Waiting

/// What an Improv device reports, notified or read.
package enum ImprovReport: Hashable, Sendable {
  /// `ImprovState`, or a state that is not known.
  case state(UInt8)
  /// `ImprovError`, or 0.
  case error(UInt8)
  case result(ImprovFrame)
  /// A value that cannot be read.
  case unreadable
}

/// A connected Improv device, and what it reports.
struct ImprovLink: Sendable {
  typealias Report = ImprovReport

  let link: any Peripheral
  let feed: StatusFeed
  private let clock: any TimeSource
  private let service: RemoteService

  init(_ link: any Peripheral, _ feed: StatusFeed, _ clock: any TimeSource) async throws(CentralError) {
    (self.link, self.feed, self.clock) = (link, feed, clock)
    typealias Attribute = Improv.Attribute
    let required = [Attribute.state, Attribute.error, Attribute.command, Attribute.result]
    do throws(CentralError) {
      service = try await link.discover(Attribute.service, requiring: required + [Attribute.capabilities])
    } catch  where error.code == .attributeMissing(Attribute.capabilities) {
      service = try await link.discover(Attribute.service, requiring: required)
    }
  }

  /// A characteristic that `init` requires.
  private func characteristic(_ uuid: BluetoothUUID) -> RemoteCharacteristic {
    guard let found = service[uuid] else { preconditionFailure("the discovery returns what it requires") }
    return found
  }

  func subscribe(to uuid: BluetoothUUID) async throws(CentralError) {
    feed.follow(try await link.notifications(of: characteristic(uuid)), of: uuid)
  }

  /// A device without this characteristic has none.
  func capabilities() async throws(CentralError) -> ImprovCapabilities {
    guard let characteristic = service[Improv.Attribute.capabilities] else { return [] }
    return ImprovCapabilities(rawValue: try await link.read(characteristic).only ?? 0)
  }

  /// The value of a characteristic of one byte; nil when it has another length.
  func byte(_ uuid: BluetoothUUID) async throws(CentralError) -> UInt8? {
    try await link.read(characteristic(uuid)).only
  }

  func send(_ frame: ImprovFrame) async throws(CentralError) { try await send(frame.bytes) }

  /// Writes bytes in pieces; the device puts them together.
  func send(_ bytes: [UInt8]) async throws(CentralError) {
    for piece in bytes.pieces(of: Improv.pieceLength) {
      try await link.write(piece, to: characteristic(Improv.Attribute.command), .withResponse)
    }
  }

  /// A report, and when it arrived.
  typealias Arrival = (report: Report, at: MonotonicInstant)

  /// The next report since `mark`, waiting for it if necessary; nil when none arrives in time.
  /// - Throws: `disconnected`, `cancelled`; errors of a read.
  func next(since mark: inout Int, within limit: Duration) async throws(CentralError) -> Arrival? {
    guard feed.isFollowingAny else {
      try await clock.pause(limit)
      return nil
    }
    let (feed, start) = (feed, mark)
    let raced = await race(limit, on: clock) { () throws(CentralError) in
      guard let next = await feed.next(since: start) else {
        throw CentralError(Task.isCancelled ? .cancelled : .disconnected)
      }
      return next
    }
    switch raced {
    case .value(let next):
      mark = next.mark
      return (try await report(next.value.value, of: next.of), next.value.receivedAt)
    case .timedOut: return nil
    case .failed(let error): throw error
    }
  }

  private func report(_ value: [UInt8], of uuid: BluetoothUUID) async throws(CentralError) -> Report {
    switch uuid {
    case Improv.Attribute.state: return value.only.map { .state($0) } ?? .unreadable
    case Improv.Attribute.error: return value.only.map { .error($0) } ?? .unreadable
    default:
      switch ImprovFrame.read(value) {
      case .success(let frame): return .result(frame)
      // A notification ends at the MTU, a read does not. BlueZ signals what was read like a notification.
      case .failure(.truncated) where feed.lastRead(uuid) != value:
        let whole = try await link.read(characteristic(uuid))
        feed.noteRead(whole, of: uuid)
        return (try? ImprovFrame.read(whole).get()).map { .result($0) } ?? .unreadable
      case .failure: return .unreadable
      }
    }
  }

  /// The result of a command without data; nil when the device answers with an error, or not in time.
  func answer(to command: ImprovFrame.Command, within limit: Duration) async throws(CentralError)
    -> ImprovFrame?
  {
    var mark = feed.count
    try await send(ImprovFrame(command))
    return try await answer(to: command, since: &mark, within: limit)
  }

  private func answer(
    to command: ImprovFrame.Command, since mark: inout Int, within limit: Duration
  ) async throws(CentralError) -> ImprovFrame? {
    let end = clock.now.advanced(by: limit)
    while case let rest = clock.now.duration(to: end), rest > .zero {
      switch try await next(since: &mark, within: rest)?.report {
      case .result(let frame) where frame.command == command.rawValue: return frame
      case .error(let code) where code != 0: return nil
      case .result, .error, .state, .unreadable: continue
      case nil: return nil
      }
    }
    return nil
  }
}

extension ImprovLink {
  /// The longest time until the first result of a scan [assumed].
  private static let scan = Duration.seconds(8)
  /// The longest time between two results of a scan [assumed].
  private static let silence = Duration.milliseconds(1500)
  /// The most data of a result that may have all networks: a further one has at most 49 bytes.
  private static let roomForAnother = 255 - 49

  /// The networks that the device receives: all in one result, or each in a result and an empty one at the end.
  /// Nil without an answer.
  func networks() async throws(CentralError) -> WiFiScan? {
    var mark = feed.count
    try await send(ImprovFrame(.scan))
    var networks: [FoundNetwork] = []
    var unreadable = 0
    var limit = Self.scan
    while let frame = try await answer(to: .scan, since: &mark, within: limit) {
      guard let strings = frame.strings else {
        unreadable += 1
        continue
      }
      for network in strings.pieces(of: 3) {
        if network.count == 3, let rssi = Int(network[1], in: FoundNetwork.possibleRSSI),
          network[0].utf8.count <= FoundNetwork.mostBytes
        {
          networks.append(FoundNetwork(ssid: network[0], rssi: rssi))
        } else {
          unreadable += 1
        }
      }
      // One network alone may be the first of several results.
      if strings.count != 3 {
        let isFull = frame.data.count > Self.roomForAnother
        return WiFiScan(networks: networks, unreadable: unreadable, extent: isFull ? .full : .whole)
      }
      limit = Self.silence
    }
    if networks.isEmpty, unreadable == 0 { return nil }
    // Silence after one result shows that it was the whole list.
    return WiFiScan(
      networks: networks, unreadable: unreadable,
      extent: networks.count == 1 && unreadable == 0 ? .whole : .cut)
  }
}

extension [UInt8] {
  /// Its byte, if it has one alone.
  fileprivate var only: UInt8? { count == 1 ? self[0] : nil }
}

extension ImprovReport {
  /// The report in the words of the specification, for the record. Contains nothing that the device wrote.
  var text: String {
    switch self {
    case .state(let code): "state \(code)" + (ImprovState(rawValue: code).map { ": \($0.words)" } ?? "")
    case .error(let code): "error \(code)" + (ImprovError(rawValue: code).map { ": \($0.words)" } ?? "")
    case .result(let frame): "result of command \(frame.command)"
    case .unreadable: "a value that cannot be read"
    }
  }
}
