import Application
import ArgumentParser
import Model

/// `roboprov room retire`: takes a room and its device out of service.
struct RetireCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retire",
    abstract: "Take a room and its device out of service.",
    discussion: """
      roboprov room retire building.yaml 'Room 312' --reason 'room is now storage'
      roboprov room retire seeblick room-312 --without-scan

      Scans first, and refuses while the device is still on air with the room's identity, as `room replace` does. Later runs \
      skip the room unless --force names it.
      """)

  @OptionGroup var arguments: AmendmentArguments
  @OptionGroup var release: ReleaseOptions

  func run() async throws {
    let amendment = try arguments.amendment()
    let (name, devices) = (amendment.name, amendment.devices)
    guard amendment.known?.retirement == nil else {
      throw CommandFailure(.usage, "\(name) is already out of service")
    }
    let released = try await release.facts(devices, .retired, in: amendment)
    try await arguments.commit(
      .retire, released + [.roomRetired(.init(room: amendment.room, reason: release.reason))], of: amendment,
      saying: ["\(name) is out of service" + (devices.first.map { ", with its device \($0)." } ?? ".")]
        + amendment.keptBonds(with: devices))
  }
}
