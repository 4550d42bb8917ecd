package import Bluetooth
package import Model
package import Session

extension DeviceFamily {
  /// Firefly (docs/internals/protocols.md, "Firefly"): a peripheral that mostly sleeps and gets the time since an action.
  /// It advertises rarely; the session searches, connects and writes within 10 s.
  package static let firefly = DeviceFamily(
    id: "firefly", title: "Firefly",
    words: DeviceWords(
      noun: "Firefly", makeItWait: "wake it up", stillWaiting: "If it can be woken up",
      notWaiting: "If it sleeps",
      serviceMissing:
        "On most computers the Bluetooth service reserves this one for musical keyboards: run `roboprov doctor`, which shows the "
        + "command that releases it. Then run the same command again."),
    service: Firefly.Attribute.service,
    // Every Bluetooth keyboard and synthesiser offers the service, and must never be written.
    recognition: [RecognitionRule(.present, .service(Firefly.Attribute.service), .name(Firefly.localName))],
    lifecycle: .perAction(within: Firefly.session),
    proof: .selfDisconnect(within: Firefly.supervisionTimeout),
    // Besides the time.
    settings: [
      .init(
        .control, "index of the control", short: "control", .integer(0...255), isRequired: true,
        isShareable: true,
        documentation: "Index of the control. One byte."),
      .init(
        .value, "value for the control", short: "value", .integer(0...255), isRequired: true,
        isShareable: true,
        documentation: "Value for the control. One byte."),
      .init(
        .range, "range", .integer(0...255), isRequired: true, isShareable: true,
        documentation: "Transmit strength with which it compares the received strength. One byte."),
    ],
    // Write-only; the session computes the time.
    characteristics: [
      .init(
        Firefly.Attribute.event, "event",
        [.init(.value, .uint8), .init(.control, .uint8), .init(nil, .uint8), .init(.range, .uint8)])
    ],
    // It has no status, and acknowledges by disconnecting.
    stages: [.search, .connect, .discover, .write, .save],
    // The search ends 1 s before the session, so that a connection in progress can complete; the end of the
    // session bounds the other stages. The device needs a few connection intervals to disconnect.
    timeouts: TimeoutRule(
      StageTimeouts(
        search: Firefly.session - .seconds(1), connect: Firefly.session, discover: Firefly.session,
        write: Firefly.session, save: .seconds(3))))
}

extension FamilyDriver {
  package static let firefly = FamilyDriver(.firefly, configure: Firefly.configure)
}

/// The names and the GATT session of the Firefly.
package enum Firefly {
  package enum Attribute {
    /// The BLE-MIDI service.
    package static let service: BluetoothUUID = "03B80E5A-EDE8-4B33-A751-6CE34EC4C700"
    /// Write without response: value, control, elapsed time, range; one byte each.
    package static let event: BluetoothUUID = "7772E5DB-3868-4112-A1A9-F2669D106BF3"
  }

  /// The exact local name. The service alone identifies nothing.
  package static let localName = "Firefl"

  /// The length of a session, from its search to its write; also the longest time that the elapsed byte can
  /// encode.
  package static let session = Duration.seconds(10)

  /// The least time from the last packet to the end of a lost link (the kernel's default is 420 ms). The
  /// device ends the link within a few connection intervals of 30 to 50 ms, so after this time the end does
  /// not show whether the write arrived.
  static let supervisionTimeout = Duration.milliseconds(400)

  /// The elapsed byte: floor(elapsed / 10 s × 255), and 0 beyond 10 s.
  package static func byte(for elapsed: Duration) -> UInt8 {
    guard (.zero...session).contains(elapsed) else { return 0 }
    return UInt8(elapsed.inMicroseconds * 255 / session.inMicroseconds)
  }

  /// Searches, connects, writes the event, and waits until the device disconnects.
  static func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let bounded = session.lasting(Self.session)
    try await bounded.search()
    let link = try await bounded.connect()
    let service = try await bounded.stage(.discover) { () throws(CentralError) in
      try await link.discover(Attribute.service, requiring: [Attribute.event])
    }
    guard let event = service[Attribute.event] else {
      throw AttemptFailure(.serviceMissing(FailedStep(.discover)))
    }
    let submittedAt = try await bounded.submit()
    let writtenAt = session.clock.now
    try await write(to: event, over: link, in: bounded)
    return try await session.waitUntilItLeaves(
      link, within: supervisionTimeout, Submission(at: submittedAt, acknowledgement: nil),
      writtenAt: writtenAt,
      [.value, .control, .range])
  }

  private static func write(
    to event: RemoteCharacteristic, over link: any Peripheral, in session: DeviceSession
  ) async throws(AttemptFailure) {
    let room = session.room
    guard let description = room.family.characteristic(Attribute.event),
      var bytes = room.family.encode(description, room.settings)
    else { preconditionFailure("the settings of a room must be checked") }
    let elapsed = session.action.at.duration(to: session.clock.now)
    bytes[2] = byte(for: elapsed)
    await session.sends(bytes[2], for: elapsed)
    do throws(AttemptFailure) {
      try await session.write(
        bytes, of: [.value, .control, .range], to: event, over: link, .withoutResponse)
    } catch {
      // A write that timed out may have been sent: the disconnection decides.
      guard error.reason.code == .stageTimedOut else { throw error }
    }
  }
}

extension Identifier<SettingDescription> {
  package static var control: Self { "control" }
  package static var value: Self { "value" }
  /// The transmit strength that the device compares with.
  package static var range: Self { "range" }
}
