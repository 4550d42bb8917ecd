import Bluetooth
import Foundation
import Model
import Session
import Synchronization
import VirtualTime

/// The result of a session with a scripted device.
struct Attempted: Sendable {
  var result: Result<Submission, AttemptFailure>
  var facts: [Fact]
  var writes: [[UInt8]]
  var duration: Duration

  var submission: Submission? { try? result.get() }
  /// Why the session failed; nil if it submitted everything.
  var failure: FailureReason? { if case .failure(let failure) = result { failure.reason } else { nil } }
  /// The statuses on record.
  var statuses: [String] {
    facts.compactMap { if case .statusReceived(let fact) = $0 { fact.text } else { nil } }
  }
}

extension Attempted {
  /// Carries out a session with a device in virtual time.
  /// - Parameters:
  ///   - host: the computer with the adapter; a call there takes 100 ms.
  ///   - recorded: what earlier attempts wrote to the device.
  ///   - forbidden: is asked whether settings may be sent.
  static func run(
    _ room: Room, on host: HostName? = nil, recorded: RecordedSettings? = nil,
    forbidden: @escaping @Sendable () -> FailureReason? = { nil },
    _ make: @escaping @Sendable (VirtualClock) -> ScriptedDevice,
    _ body: @escaping @Sendable (DeviceSession) async throws(AttemptFailure) -> Submission
  ) async throws -> Attempted {
    try await VirtualTime.run { clock in
      let (device, record) = (make(clock), Facts())
      let coordinator = Coordinator(
        clock: clock, wall: { Date(timeIntervalSince1970: 0) }, recorder: record)
      let session = DeviceSession(
        room: room, address: device.address, adapter: AdapterID(device.adapter.address, on: host), attempt: 1,
        central: OneDevice(device: device), coordinator: coordinator, clock: clock,
        recorded: recorded, randomBytes: { [UInt8](repeating: 9, count: $0) }, forbidden: forbidden)
      return await withTaskGroup(of: Void.self) { group in
        group.addTask { await coordinator.run() }
        let result: Result<Submission, AttemptFailure>
        do throws(AttemptFailure) {
          result = .success(try await body(session))
        } catch {
          result = .failure(error)
        }
        let duration = clock.now.sinceZero
        coordinator.finish()
        await group.waitForAll()
        return Attempted(result: result, facts: record.all, writes: device.writes, duration: duration)
      }
    }
  }
}

/// Keeps the facts of a run.
private final class Facts: RunRecorder {
  private let facts = Mutex<[Fact]>([])

  var all: [Fact] { facts.withLock { $0 } }

  func record(_ events: [RunEvent]) async throws(RecordFailure) {
    facts.withLock { $0 += events.map(\.fact) }
  }
}

/// A radio that can only connect to one device.
private struct OneDevice: ForwardingCentral {
  let device: ScriptedDevice

  func responsible(for host: HostName?) async throws(CentralError) -> any Central {
    throw CentralError(.stackUnavailable)
  }

  func roundTrip(to host: HostName?) async -> Duration? { .milliseconds(100) }
  func adapters() async throws(CentralError) -> [Adapter] { [] }
  func adapterChanges() async -> AsyncStream<[Adapter]> { AsyncStream { $0.finish() } }

  func connect(
    to address: BluetoothAddress, on adapter: AdapterID, pairing: Pairing?,
    linked: @escaping @Sendable () -> Void
  ) async throws(CentralError) -> any Peripheral { device }
}
