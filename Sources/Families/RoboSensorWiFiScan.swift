import Bluetooth
import Model
import Session
import Synchronization

extension RoboSensor {
  /// Write `SCAN`; the sensor notifies the networks (docs/internals/protocols.md, "WiFi scan"). Older firmware does not
  /// have it.
  static let wifiScan: BluetoothUUID = "12345678-9ABC-DEF0-1234-000000000008"

  /// Subscribes, writes `SCAN` and assembles the response.
  @Sendable static func scanWiFi(
    over link: any Peripheral, on clock: any TimeSource
  ) async throws(CentralError) -> WiFiScan? {
    let service: RemoteService
    do throws(CentralError) {
      service = try await link.discover(Attribute.service, requiring: [Self.wifiScan])
    } catch  where error.code == .attributeMissing(Self.wifiScan) {
      return nil
    }
    guard let characteristic = service[Self.wifiScan] else { return nil }
    let notifications = try await link.notifications(of: characteristic)
    let answer = WiFiScanAnswer(clock)
    try await link.write(Array("SCAN".utf8), to: characteristic, .withResponse)
    let hasEnded = await answer.receive(notifications)
    if Task.isCancelled { throw CentralError(.cancelled) }
    let scan = answer.scan
    // The notifications end with the link.
    if hasEnded, scan.extent == .cut { throw CentralError(.disconnected) }
    return scan
  }
}

/// The response to `SCAN` as it arrives, and its time limits.
final class WiFiScanAnswer: Sendable {
  /// The longest time of the whole response [S].
  private static let limit = Duration.seconds(5)
  /// A response without `MORE` or `END` is complete after this time without a notification [S].
  private static let silence = Duration.milliseconds(500)
  /// The most networks of a response [S].
  private static let mostNetworks = 10

  private let clock: any TimeSource
  private let began: MonotonicInstant
  private let state: Mutex<(reader: WiFiScanReader, last: MonotonicInstant)>

  init(_ clock: any TimeSource) {
    self.clock = clock
    began = clock.now
    state = Mutex((WiFiScanReader(), clock.now))
  }

  var scan: WiFiScan {
    state.withLock { state in
      let (networks, unreadable) = state.reader.result
      let extent: WiFiScan.Extent =
        switch state.reader.progress {
        case .nothing, .more: .cut
        case .open, .ended: networks.count + unreadable < Self.mostNetworks ? .whole : .full
        }
      return WiFiScan(networks: networks, unreadable: unreadable, extent: extent)
    }
  }

  /// Takes notifications until the response is complete.
  /// - Returns: whether the notifications ended first.
  func receive(_ notifications: AsyncStream<CharacteristicNotification>) async -> Bool {
    await withTaskGroup(of: Bool.self) { group in
      group.addTask {
        for await notification in notifications where self.take(notification) { return false }
        return true
      }
      group.addTask {
        while self.end > self.clock.now {
          // A notification may bring an earlier end: `silence` after it.
          let next = min(self.end, self.clock.now.advanced(by: Self.silence))
          guard (try? await self.clock.sleep(until: next, tolerance: nil)) != nil else { break }
        }
        return false
      }
      let first = await group.next() == true
      group.cancelAll()
      return first
    }
  }

  /// - Returns: whether the response is complete.
  private func take(_ notification: CharacteristicNotification) -> Bool {
    let now = clock.now
    return state.withLock { state in
      state.reader.take(notification.value)
      state.last = now
      return state.reader.progress == .ended
    }
  }

  /// The end of the response if no further notification arrives.
  private var end: MonotonicInstant {
    state.withLock { state in
      let limit = began.advanced(by: Self.limit)
      return state.reader.progress == .open ? min(limit, state.last.advanced(by: Self.silence)) : limit
    }
  }
}
