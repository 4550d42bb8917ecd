import Bluetooth
public import Model

extension RecordConflict {
  /// What contradicts what, as one sentence, and what to do about it.
  /// - Parameter name: what people call a room.
  public func explanation(_ name: (RoomID) -> String) -> Explanation {
    func quoted(_ room: RoomID) -> String { "“\(name(room).visible)”" }
    switch self {
    case .boundToAnother(let room, let named, let recorded):
      return Explanation(
        "\(quoted(room)): the manifest names \(named), and on record it has \(recorded).",
        """
        If the sensor was replaced, say so with `roboprov replace`; if the record is wrong, allow the change with \
        --rebind \(room); else correct the manifest.
        """)
    case .deviceOfAnotherRoom(let room, let named, let other):
      return Explanation(
        "\(quoted(room)): the manifest names \(named), which on record is in \(quoted(other)).",
        """
        If the room was given another id, give it its old one: id: \(other). If the sensor was moved, allow it \
        with --rebind \(room); else correct the manifest.
        """)
    case .deviceRetired(let room, let named, let retirement):
      let why = retirement.reason.map { " (\($0.visible))" } ?? ""
      return Explanation(
        "\(quoted(room)): the manifest names \(named), which was taken out of service\(why).",
        "Give the room the address of its new sensor; or put the old one back into service with --rebind \(room)."
      )
    case .renumbered(let room, let from, let to, let device):
      return Explanation(
        "\(quoted(room)): \(device) was provisioned with minor \(from), and the manifest says \(to) now.",
        """
        If that is meant, allow it with --renumber: what cannot be rewritten while it works must be put into \
        provisioning mode. If not, correct the manifest.
        """)
    case .severalDevices(let room, let devices):
      return Explanation(
        "\(quoted(room)) has several sensors on record: \(devices.map(\.description).joined(separator: ", ")).",
        """
        Find out which one is in the room. Take the others out of service with `roboprov replace … --device \
        ADDRESS`, or name the right one in the manifest and allow it with --rebind \(room).
        """)
    case .severalRooms(let device, let rooms):
      return Explanation(
        "\(device) is on record in several rooms: \(rooms.map(quoted).joined(separator: ", ")).",
        """
        Find out in which one it is. Take it out of the others with `roboprov replace`, or name it in the \
        manifest and allow it with --rebind for the right one.
        """)
    case .minorTwice(let minor, let rooms, let devices):
      return Explanation(
        """
        Minor \(minor) is on record at \(devices.map(\.description).joined(separator: " and ")), in \
        \(rooms.map(quoted).joined(separator: " and ")).
        """,
        "Give one of the rooms another minor, or take one of the sensors out of service with `roboprov replace`."
      )
    }
  }
}
