package import Bluetooth
package import Model

/// A disk that survives the kill of its process: synced events, and a share of the others.
package actor MortalRecorder: RunRecorder {
  /// The duration of a sync: longer than a write takes to reach a sensor, so that a write that does not wait
  /// for the disk is detected.
  package static let latency = Duration.milliseconds(60)

  package private(set) var events: [RunEvent] = []
  /// When each event became durable; shorter than `events` after a kill.
  package private(set) var onDiskAt: [MonotonicInstant] = []
  private var synced = 0
  private let clock: any TimeSource
  private let diesAt: Int?
  private let life: MortalCentral.Life
  private let watch: @Sendable (RunEvent) async -> Void
  private let onDisk: @Sendable (RunEvent) async -> Void

  /// - Parameters:
  ///   - diesAt: the number of the event at which the process is killed, which is the last one written.
  ///   - watch: receives each event when it is written.
  ///   - onDisk: receives each event once it is durable.
  package init(
    clock: any TimeSource, diesAt: Int? = nil, life: MortalCentral.Life = .init(),
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in },
    onDisk: @escaping @Sendable (RunEvent) async -> Void = { _ in }
  ) {
    self.watch = watch
    self.onDisk = onDisk
    self.clock = clock
    self.diesAt = diesAt
    self.life = life
  }

  /// Writes events; the process is killed at `diesAt`.
  /// - Throws: `RecordFailure` after the kill.
  package func record(_ batch: [RunEvent]) async throws(RecordFailure) {
    guard life.isAlive else { throw RecordFailure("dead") }
    let isSynced = batch.contains { $0.fact.durability == .synced }
    for event in batch {
      events.append(event)
      await watch(event)
      if event.sequence == diesAt {
        life.end()
        throw RecordFailure("killed")
      }
    }
    if isSynced {
      try? await clock.sleep(for: Self.latency)
      guard life.isAlive else { throw RecordFailure("killed") }
      synced = events.count
    }
    for event in batch {
      onDiskAt.append(clock.now)
      await onDisk(event)
    }
  }

  /// The events on disk after the kill.
  /// - Parameter part: the share of unsynced events that survive, 0…1.
  package func survivors(_ part: Double) -> [RunEvent] {
    guard !life.isAlive else { return events }
    return Array(events.prefix(synced + Int((Double(events.count - synced) * part).rounded())))
  }
}
