import Bluetooth
package import Model

extension RecordConflict {
  /// The contradiction, and the action to take.
  /// - Parameter name: The name of a room for people.
  package func explanation(_ name: (RoomID) -> String) -> Explanation {
    func quoted(_ room: RoomID) -> String { "“\(name(room).visible)”" }
    switch self {
    case .boundToAnother(let room, let named, let recorded):
      return Explanation(
        "\(quoted(room)): the manifest names \(named), but its device on record is \(recorded).",
        """
        If the device was replaced, run `roboprov room replace`. If the record is wrong, add --rebind \(room) to the \
        command. Otherwise correct the manifest.
        """)
    case .deviceOfAnotherRoom(let room, let named, let other):
      return Explanation(
        "\(quoted(room)): the manifest names \(named), which is on record in \(quoted(other)).",
        """
        If the room has a new id, give it the old one: `id: \(other)`. If the device was moved, add --rebind \(room) to \
        the command. Otherwise correct the manifest.
        """)
    case .deviceRetired(let room, let named, let retirement):
      let why = retirement.reason.map { " (\($0.visible))" } ?? ""
      return Explanation(
        "\(quoted(room)): the manifest names \(named), which was taken out of service\(why).",
        "Write the address of the new device into the manifest. Or, to use the old one again, add --rebind \(room) to the command."
      )
    case .renumbered(let room, let from, let to, let device):
      return Explanation(
        "\(quoted(room)): \(device) was provisioned with \(from.shown(besides: to).visible), but the manifest now has \(to.shown(besides: from).visible).",
        """
        If the new identity is right, add --renumber to the command, and put the device into provisioning mode if it \
        needs that. If not, correct the manifest.
        """)
    case .severalDevices(let room, let devices):
      return Explanation(
        "\(quoted(room)) has several devices on record: \(devices.map(\.description).joined(separator: ", ")).",
        """
        Find out which one is in the room. Take every other one out of service with `roboprov room replace` and \
        --device. Or write the right one into the manifest, and add --rebind \(room) to the command.
        """)
    case .severalRooms(let device, let rooms):
      return Explanation(
        "\(device) is on record in several rooms: \(rooms.map(quoted).joined(separator: ", ")).",
        """
        Find out in which room it is. Run `roboprov room replace` for each other room. Or write it into the manifest of \
        the right room, and add --rebind with that room to the command.
        """)
    case .unordered(let room, let runs):
      return Explanation(
        """
        \(quoted(room)): the runs \(runs.map(\.visible).joined(separator: " and ")) wrote its device or changed its state, and \
        had not read each other's records. The record cannot show which settings the device has now.
        """,
        """
        Put the device into provisioning mode if it needs that, and add --force \(room) to the command, which writes it \
        again. Or take the device out of service with `roboprov room replace`, or accept the room as it is with \
        `roboprov room accept`.
        """)
    case .identityTwice(let identity, let rooms, let devices):
      return Explanation(
        """
        \(identity.distinction.visible.uppercasedFirst) is on record for \(devices.map(\.description).joined(separator: " and ")), in \
        \(rooms.map(quoted).joined(separator: " and ")).
        """,
        "Give one of the rooms another identity, or take one of the devices out of service with `roboprov room replace`."
      )
    }
  }
}
