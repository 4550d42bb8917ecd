public import Bluetooth
public import Model

/// A disk that survives the death of its process: what was synced is there, of the rest a part.
public actor MortalRecorder: RunRecorder {
  /// What a sync takes: longer than a write takes to reach a sensor, so that who does not wait for the disk is found
  /// out.
  public static let latency = Duration.milliseconds(60)

  /// What was written.
  public private(set) var events: [RunEvent] = []
  /// When each of them was as durable as it must be; fewer than there are events when it died.
  public private(set) var onDiskAt: [MonotonicInstant] = []
  private var synced = 0
  private let clock: any TimeSource
  private let diesAt: Int?
  private let life: MortalCentral.Life
  private let watch: @Sendable (RunEvent) async -> Void
  private let onDisk: @Sendable (RunEvent) async -> Void

  /// A disk.
  /// - Parameters:
  ///   - diesAt: the number of the event with which the process dies: it is the last that is written.
  ///   - watch: told of each event as it is written.
  ///   - onDisk: told of each event once it is as durable as it must be.
  public init(
    clock: any TimeSource, diesAt: Int?, life: MortalCentral.Life,
    watch: @escaping @Sendable (RunEvent) async -> Void = { _ in },
    onDisk: @escaping @Sendable (RunEvent) async -> Void = { _ in }
  ) {
    self.watch = watch
    self.onDisk = onDisk
    self.clock = clock
    self.diesAt = diesAt
    self.life = life
  }

  /// Writes events, and dies in between if that is due.
  /// - Throws: `RecordFailure` once it is dead.
  public func record(_ batch: [RunEvent]) async throws(RecordFailure) {
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

  /// What is on the disk afterwards.
  /// - Parameter part: how much is left of what was not synced, 0…1.
  public func survivors(_ part: Double) -> [RunEvent] {
    guard !life.isAlive else { return events }
    return Array(events.prefix(synced + Int((Double(events.count - synced) * part).rounded())))
  }
}
