public import Bluetooth
public import Model
public import Session

/// Firefly (PROTOCOLS §3): a peripheral that sleeps most of the time and is told *when* something happened, by the time
/// that has gone since. It is found, connected and written within one session of 10 s.
public struct Firefly: DeviceProfile {
  /// `firefly`.
  public let id: ProfileID = "firefly"
  /// For people.
  public let title = "Firefly"
  /// How people deal with one.
  public let words = DeviceWords(
    noun: "Firefly", makeItWait: "wake it up", stillWaiting: "If it can be woken up",
    notWaiting: "If it sleeps",
    serviceMissing:
      "On most computers bluetoothd keeps this service for itself, since keyboards have it: give it the option "
      + "--noplugin=midi (`systemctl edit bluetooth`), restart it, and run the same command again.")
  /// The service, which is BLE-MIDI's.
  public let service = Attribute.service
  /// Every Bluetooth keyboard and synthesiser has it.
  public let isServiceShared = true
  /// Yes, as often as something happens.
  public let isRewritable = true
  /// It advertises rarely, and has 10 s in all.
  public let searchesItself = true
  /// Of the moment that a person marks, or in which its session began.
  public let learnsActionTime = true

  /// What it is told besides the time.
  public let settings: [SettingDescription] = [
    .init(
      .control, "index of the control", short: "control", .integer(0...255), isRequired: true,
      isShareable: true,
      documentation: "Index of the control. One byte."),
    .init(
      .value, "value for the control", short: "value", .integer(0...255), isRequired: true, isShareable: true,
      documentation: "Value for the control. One byte."),
    .init(
      .range, "range", .integer(0...255), isRequired: true, isShareable: true,
      documentation: "Transmit strength against which it compares what it hears. One byte."),
  ]

  /// It is searched by its own session, says nothing, and answers by leaving.
  public let stages: [Stage] = [.search, .connect, .discover, .write, .save]

  /// The family.
  public init() {}

  /// Its attributes (PROTOCOLS §3, from the vendor's app).
  public enum Attribute {
    /// BLE-MIDI's service.
    public static let service: BluetoothUUID = "03B80E5A-EDE8-4B33-A751-6CE34EC4C700"
    /// Written without response: value, control, elapsed time, range; a byte each.
    public static let event: BluetoothUUID = "7772E5DB-3868-4112-A1A9-F2669D106BF3"
  }

  /// The exact local name. Without it the service tells nothing.
  public static let localName = "Firefl"

  /// How long a session lasts, from its search to its write; also the longest time that the elapsed byte can tell.
  public static let session = Duration.seconds(10)

  /// A link that is lost ends no sooner after the last packet (the kernel's default is 420 ms). The device ends it within
  /// a few connection intervals of 30 to 50 ms, so an end after this long does not tell whether the write arrived.
  static let supervisionTimeout = Duration.milliseconds(400)

  /// The search ends 1 s before the session does, so that a connection that was begun can be finished; the others are
  /// cut off at its end anyway. Leaving takes the device a few connection intervals.
  public func timeouts(for settings: [SettingName: SettingValue]) -> StageTimeouts {
    StageTimeouts(
      search: Self.session - .seconds(1), connect: Self.session, discover: Self.session,
      write: Self.session, save: .seconds(3))
  }

  /// By service *and* name: a keyboard must never be written.
  public func recognise(_ advertisement: Advertisement) -> Recognition? {
    let isOurs =
      advertisement.serviceUUIDs.contains(Attribute.service) && advertisement.localName == Self.localName
    return isOurs ? .present : nil
  }

  /// What it is told cannot be read.
  public func attribute(_ characteristic: BluetoothUUID) -> AttributeDescription? {
    characteristic == Attribute.event
      ? AttributeDescription("event", settings: [.value, .control, .range]) : nil
  }

  /// That it leaves: nothing on air tells what it was told.
  public func proof(of settings: [SettingName: SettingValue]) -> Proof { .selfDisconnect }

  /// The time since the action as the device is told: floor(elapsed / 10 s × 255), and 0 when more than 10 s have gone.
  public static func byte(for elapsed: Duration) -> UInt8 {
    guard elapsed >= .zero, elapsed <= session else { return 0 }
    return UInt8(elapsed.inMicroseconds * 255 / session.inMicroseconds)
  }

  /// Searches, connects, writes the time, and waits for the device to leave.
  public func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let bounded = session.lasting(Self.session)
    try await bounded.search(as: self)
    let link = try await bounded.connect()
    let service = try await bounded.stage(.discover) { () throws(CentralError) in
      try await link.discover(Attribute.service, requiring: [Attribute.event])
    }
    guard let event = service[Attribute.event] else {
      throw AttemptFailure(.serviceMissing(FailedStep(.discover)))
    }
    let submittedAt = try await bounded.submit()
    let writtenAt = session.clock.now
    try await Self.write(session.room.settings, to: event, over: link, in: bounded)
    return try await Self.waitUntilItLeaves(session, link, submittedAt, writtenAt)
  }

  private static func write(
    _ settings: [SettingName: SettingValue], to event: RemoteCharacteristic, over link: any Peripheral,
    in session: DeviceSession
  ) async throws(AttemptFailure) {
    let elapsed = session.action.at.duration(to: session.clock.now)
    let time = byte(for: elapsed)
    await session.sends(time, for: elapsed)
    let bytes = [
      byte(settings[.value]), byte(settings[.control]), time, byte(settings[.range]),
    ]
    do throws(AttemptFailure) {
      try await session.write(
        bytes, of: [.value, .control, .range], to: event, over: link, .withoutResponse)
    } catch {
      // Cut off in the middle it may have gone out: the device's leaving tells.
      guard error.reason.code == .stageTimedOut else { throw error }
    }
  }

  private static func waitUntilItLeaves(
    _ session: DeviceSession, _ link: any Peripheral, _ submittedAt: MonotonicInstant,
    _ writtenAt: MonotonicInstant
  ) async throws(AttemptFailure) -> Submission {
    let end: Disconnection
    do throws(AttemptFailure) {
      end = try await session.stage(.save) { () throws(CentralError) in
        guard let end = await link.disconnection() else { throw CentralError(.cancelled) }
        return end
      }
    } catch {
      guard case .stageTimedOut(_, let seconds) = error.reason else { throw error }
      return Submission(at: submittedAt, acknowledgement: nil, trouble: .noSelfDisconnect(seconds: seconds))
    }
    switch end.cause {
    case .remote where writtenAt.duration(to: end.at) >= supervisionTimeout:
      throw AttemptFailure(.linkLost(FailedStep(.verify)))
    case .remote:
      await session.confirmWritten([.value, .control, .range])
      return Submission(at: submittedAt, acknowledgement: .selfDisconnect)
    case .local: return Submission(at: submittedAt, acknowledgement: nil)
    case .adapterLost: throw AttemptFailure(.adapterLost(.during(FailedStep(.save))))
    case .stackLost: throw AttemptFailure(.stackLost(.during(FailedStep(.save))))
    }
  }

  private static func byte(_ value: SettingValue?) -> UInt8 {
    guard case .integer(let number)? = value, let byte = UInt8(exactly: number) else {
      preconditionFailure("a room without checked settings reached its profile")
    }
    return byte
  }
}

extension Identifier<SettingDescription> {
  /// Index of a control.
  public static var control: Self { "control" }
  /// Value for a control.
  public static var value: Self { "value" }
  /// Transmit strength to compare with.
  public static var range: Self { "range" }
}
