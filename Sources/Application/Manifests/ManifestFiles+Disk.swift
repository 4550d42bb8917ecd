import FoundationEssentials
import Glibc
package import Manifest

extension ManifestFiles {
  /// The files that a manifest names, relative to its directory; nil if the manifest is not a regular file.
  package static func beside(_ manifest: String) -> ManifestFiles? {
    var status = stat()
    guard stat(manifest, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    OutputFile.removeAbandoned(beside: manifest)
    return relative(to: manifest)
  }

  /// The same for a manifest that does not exist yet.
  package static func relative(to manifest: String) -> ManifestFiles {
    ManifestFiles { path, limit in
      let place = InputFile.path(path, beside: manifest)
      OutputFile.removeAbandoned(beside: place)
      do throws(InputFile.Problem) {
        let bytes = try InputFile.contents(of: place, atMost: limit, patience: nil).bytes
        return .success(File(name: place, bytes: bytes))
      } catch {
        switch error {
        case .missing: return .failure(.missing)
        case .tooLarge: return .failure(.tooLarge)
        case .system, .notAFile, .pipe, .silent: return .failure(.unreadable(error.text))
        }
      }
    }
  }
}
