import Bluetooth
import Model
import Session

/// A made-up family: an identity of its own format, two settings in each packet, and its own status as proof.
/// Nothing outside of this folder knows it.
enum Lamp {
  static let company: UInt16 = 0x0B0B
  static let service: BluetoothUUID = "1A3B0000-7C44-4C61-6D70-000000000001"
  /// Write: lamp (uint16, little-endian), zone (uint8).
  static let place: BluetoothUUID = "1A3B0000-7C44-4C61-6D70-000000000002"
  /// Write: SSID.
  static let ssid: BluetoothUUID = "1A3B0000-7C44-4C61-6D70-000000000003"
  /// Write: level (uint8), WiFi password.
  static let light: BluetoothUUID = "1A3B0000-7C44-4C61-6D70-000000000004"
  /// Write: 1 applies.
  static let apply: BluetoothUUID = "1A3B0000-7C44-4C61-6D70-000000000005"
  /// Notify: 1 works, 2 done, 3 refused.
  static let status: BluetoothUUID = "1A3B0000-7C44-4C61-6D70-000000000006"
  /// Notify: percent.
  static let progress: BluetoothUUID = "1A3B0000-7C44-4C61-6D70-000000000007"

  static let family = DeviceFamily(
    id: "lamp", title: "Lamp", words: DeviceWords(noun: "lamp", makeItWait: "hold its button"),
    service: service,
    recognition: [
      RecognitionRule(.configured, .identity),
      RecognitionRule(.waiting, .manufacturerData(company, startsWith: [0x4C, 0])),
    ],
    lifecycle: .provisioningMode,
    identity: IdentityRule(
      .manufacturerData(company: company), prefix: [0x4C, 1],
      parts: [.init("zone", "zone", .uint8), .init("lamp", "lamp", .uint16(.littleEndian))]),
    proof: .status,
    settings: [
      .init(
        "lamp", "lamp number", short: "lamp", .integer(1...9999), isRequired: true, isOnAir: true,
        documentation: "Its number. uint16, little-endian."),
      .init(
        "zone", "zone", .integer(0...99), isRequired: true, isOnAir: true, isShareable: true,
        documentation: "Its zone. One byte."),
      .init(
        "level", "level", .integer(0...255), isRequired: true, isShareable: true,
        documentation: "Its level. One byte."),
      .init(
        .wifiSSID, "WiFi name", short: "WiFi", .text(bytes: 1...32), isRequired: false, documentation: "SSID."
      ),
      .init(
        .wifiPassword, "WiFi password", short: "password", .wifiPassword, isRequired: false,
        documentation: "Password."),
    ],
    characteristics: [
      .init(place, "place", [.init("lamp", .uint16(.littleEndian)), .init("zone", .uint8)]),
      .init(ssid, "WiFi name", [.init(.wifiSSID, .utf8)]),
      .init(light, "light", [.init("level", .uint8), .init(.wifiPassword, .utf8)]),
      .init(apply, "apply"), .init(status, "status"), .init(progress, "progress"),
    ],
    stages: [.search, .connect, .discover, .ready, .write, .save])

  static let driver = FamilyDriver(family, configure: configure)

  static func configure(_ session: DeviceSession) async throws(AttemptFailure) -> Submission {
    let link = try await session.connect()
    let found = try await session.stage(.discover) { () throws(CentralError) in
      try await link.discover(service, requiring: [place, ssid, light, apply, status, progress])
    }
    @Sendable func characteristic(_ uuid: BluetoothUUID) throws(AttemptFailure) -> RemoteCharacteristic {
      guard let one = found[uuid] else { throw AttemptFailure(.serviceMissing(FailedStep(.discover))) }
      return one
    }
    let (statusValue, progressValue) = (try characteristic(status), try characteristic(progress))
    let command = try characteristic(apply)
    return try await session.withStatusFeed { (feed) throws(AttemptFailure) in
      try await session.stage(.ready) { () throws(CentralError) in
        feed.follow(try await link.notifications(of: statusValue), of: status)
        feed.follow(try await link.notifications(of: progressValue), of: progress)
      }
      let family = session.room.family
      for description in family.characteristics {
        guard let bytes = family.encode(description, session.room.settings), !bytes.isEmpty else { continue }
        try await session.write(
          bytes, of: description.settings, to: try characteristic(description.uuid), over: link)
      }
      return try await save(session, link, command, feed)
    }
  }

  private static func save(
    _ session: DeviceSession, _ link: any Peripheral, _ command: RemoteCharacteristic, _ feed: StatusFeed
  ) async throws(AttemptFailure) -> Submission {
    var submission = Submission(at: try await session.submit(), acknowledgement: nil)
    let mark = feed.count
    do throws(AttemptFailure) {
      let answer = try await session.stage(.save) { () throws(CentralError) in
        try await link.write([1], to: command, .withResponse)
        let answer = await feed.first(since: mark, of: status) { $0.value == [2] || $0.value == [3] }
        guard let answer else { throw CentralError(Task.isCancelled ? .cancelled : .disconnected) }
        return answer.value
      }
      let wasWatched = feed.existing(since: mark, of: progress) { _ in true } != nil
      await session.received(wasWatched ? "watched" : "not watched", as: .other)
      await session.received(answer == [2] ? "done" : "refused", as: answer == [2] ? .saved : .refusal)
      if answer == [2] {
        submission.acknowledgement = .savedStatus
      } else {
        submission.problem = .refused(stage: .save, deviceText: "refused")
      }
    } catch {
      submission.problem = error.reason
    }
    return submission
  }
}
